-- What:   Audits whose status is none of running, solved, infeasible and failed.
-- Note:   Whoever reads an audit looks at its status first.
select audit_id, status
from result.audit
where status not in ('running', 'solved', 'infeasible', 'failed')
