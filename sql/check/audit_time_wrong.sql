-- What:   Audits that ended before they began, or have a result and no end.
-- Note:   Both times are UTC.
select audit_id, started_at, finished_at
from result.audit
where finished_at < started_at or (finished_at is null and status <> 'running')
