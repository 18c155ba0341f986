-- What:   The unknowns in the order of their positions.
-- Note:   Follows write/cell_position.
select subject_id, place, value, prior_weight
from cell_position
order by cell
