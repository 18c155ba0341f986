-- What:   Solved audits without a certificate.
-- Note:   An answer without its proof is none.
select audit_id, max_residual, duality_gap
from result.audit
where status = 'solved' and (max_residual is null or duality_gap is null)
