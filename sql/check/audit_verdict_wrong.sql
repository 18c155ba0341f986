-- What:   Audits that were not solved and have a verdict, or were solved and have none.
-- Note:   What was not solved is unknown, never a pass.
select audit_id, status, verdict
from result.audit
where (status = 'solved') = (verdict = 'unknown')
