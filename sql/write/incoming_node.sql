-- What:   The tree of a hierarchy that was staged, one row per leaf and level.
-- Note:   A level is a part of the row: level0 is the leaf.
create or replace temp table incoming_node as
with
    climbed as (
        select row, parts, unnest(range(len(parts))) as level
        from incoming_tree
    )

select
    row,
    parts[1] as leaf,
    cast(level as integer) as level,
    parts[level + 1] as node,
    parts[level + 2] as parent,
    len(parts) - 1 as height
from climbed
