-- What:   Probabilities below 0 or above 1, or that are no number.
-- Note:   NaN is greater than 1 to DuckDB.
select audit_id, subject_id, value, probability
from result.posterior
where probability < 0 or probability > 1
