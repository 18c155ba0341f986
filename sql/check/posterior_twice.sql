-- What:   Answers that are given twice.
-- Note:   One row per subject, place and value.
select audit_id, subject_id, place, value, count(*) as row_count
from result.posterior
group by audit_id, subject_id, place, value
having count(*) > 1
