-- What:   Figures that have two prices.
-- Note:   One row per figure.
select audit_id, constraint_key, count(*) as row_count
from result.multiplier
group by audit_id, constraint_key
having count(*) > 1
