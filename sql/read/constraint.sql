-- What:   The constraints in the order of their positions.
-- Note:   Follows write/constraint_position. A constraint outside every family has -1 there.
select
    constraint_key,
    lower,
    upper,
    coalesce(family, -1) as family,
    coalesce(block, -1) as block
from constraint_position
order by position
