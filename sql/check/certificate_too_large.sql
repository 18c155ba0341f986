-- What:   Solved audits whose certificate is larger than 1e-8.
-- Note:   The solver's own limit: an answer beyond it is stored as failed.
select audit_id, max_residual, duality_gap
from result.audit
where status = 'solved' and (max_residual > 1e-8 or duality_gap > 1e-8)
