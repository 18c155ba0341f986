-- What:   Answers that are called proven and are neither 0 nor 1.
-- Note:   What is proven is exact, not nearly so.
select audit_id, subject_id, value, probability
from result.posterior
where is_forced and probability not in (0, 1)
