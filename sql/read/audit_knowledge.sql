-- What:   The statements that an audit assumed, mined rules among them.
-- Note:   In order of entry.
select k.statement_id, s.statement, k.constraint_key, s.is_mined
from model.knowledge as k
inner join result.audit_statement as s on k.audit_id = s.audit_id and k.statement_id = s.statement_id
where k.audit_id = $audit_id
order by k.statement_id
