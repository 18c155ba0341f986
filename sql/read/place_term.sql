-- What:   The coefficients of the numbers of records at places, by position.
-- Note:   Follows write/cell_position and write/constraint_position; only for an audit that has named persons.
select k.position, c.cell, cast(1.0 as double) as coefficient
from model.place as p
inner join cell_position as c on p.record_subject_id = c.record_subject_id
inner join constraint_position as k on p.constraint_key = k.constraint_key
where p.audit_id = $audit_id
