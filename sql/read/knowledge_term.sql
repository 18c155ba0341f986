-- What:   The non-zero coefficients of the statements by position.
-- Note:   Follows write/cell_position and write/constraint_position; only for an audit that assumes statements. The rows of model.knowledge_term, joined by number instead of by the text of the key.
select
    k.position,
    c.cell,
    p.coefficient
from model.knowledge_part as p
inner join cell_position as c on p.subject_id = c.subject_id and p.record_subject_id = c.record_subject_id and p.value = c.value
inner join constraint_position as k on p.statement_id = k.statement_id
where p.audit_id = $audit_id and p.coefficient <> 0
