-- What:   The non-zero coefficients of the statements by position.
-- Note:   Follows write/cell_position and write/constraint_position; only for an audit that assumes statements.
select
    k.position,
    c.cell,
    t.coefficient
from model.knowledge_term as t
inner join cell_position as c on t.subject_id = c.subject_id and t.place = c.place and t.value = c.value
inner join constraint_position as k on t.constraint_key = k.constraint_key
where t.audit_id = $audit_id
