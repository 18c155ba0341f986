-- What:   The stored answer of the cells of the problem that was just read, in the order of their positions.
-- Note:   Follows write/cell_position.
select p.probability
from cell_position as c
inner join result.posterior as p on p.audit_id = $audit_id and c.subject_id = p.subject_id and c.place = p.place and c.value = p.value
order by c.cell
