-- What:   Audits that were left running.
-- Note:   An audit is stored whole when it ends; one that is still running was torn.
select audit_id, dataset, started_at
from result.audit
where status = 'running'
