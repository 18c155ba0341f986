-- What:   Audits that are not infeasible and yet name a contradiction.
-- Note:   Only contradictory publications have conflicts.
select c.audit_id, c.constraint_key, a.status
from result.conflict as c
inner join result.audit as a on c.audit_id = a.audit_id
where a.status <> 'infeasible'
