-- What:   Bounds below 0 or above 1.
-- Note:   1e-7 is what the linear programs may be off. NaN is greater than 1 to DuckDB.
select audit_id, subject_id, value, lower, upper
from result.bound
where least(lower, upper) < -1e-7 or greatest(lower, upper) > 1 + 1e-7
