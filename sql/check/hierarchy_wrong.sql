-- What:   Hierarchies that lack a level of a leaf, and nodes of no hierarchy.
-- Note:   Each leaf has one node at each level from 0 to the height.
with
    counted as (
        select
            dataset_id,
            column_name,
            leaf,
            count(*) as level_count,
            count(distinct level) as distinct_count,
            max(level) as height
        from published.hierarchy_node
        group by dataset_id, column_name, leaf
    )

select
    coalesce(c.dataset_id, h.dataset_id) as dataset_id,
    coalesce(c.column_name, h.column_name) as column_name,
    c.leaf
from counted as c
full join published.hierarchy as h on c.dataset_id = h.dataset_id and c.column_name = h.column_name
where
    c.leaf is null
    or h.height is null
    or c.height <> h.height
    or c.level_count <> h.height + 1
    or c.distinct_count <> c.level_count
