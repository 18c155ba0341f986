-- What:   Subjects whose probabilities do not sum to 1.
-- Note:   To nine digits after the point: the solver normalises its answer.
select audit_id, subject_id, sum(probability) as total
from result.posterior
group by audit_id, subject_id
having not abs(sum(probability) - 1) <= 1e-9
