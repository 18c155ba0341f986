-- What:   Take a true value for the coarsest one above it in the hierarchy that is somebody's true value.
-- Note:   Follows write/mining_population or write/mining_release. Who has Cancer in truth may have Lung Cancer: that he has it, or not, would be no knowledge but a guess.
create or replace temp table mining_truth as
with
    held as (
        select distinct value
        from mining_truth
    ),

    above as (
        select h.value, max_by(n.node, n.level) as coarsest
        from held as h
        inner join published.hierarchy_node as o on o.dataset_id = $dataset_id and o.column_name = $column_name and h.value = o.node
        inner join published.hierarchy_node as n
            on o.dataset_id = n.dataset_id and o.column_name = n.column_name and o.leaf = n.leaf and o.level <= n.level
        inner join held as c on n.node = c.value
        group by h.value
    )

select t.qi_id, coalesce(a.coarsest, t.value) as value, cast(sum(t.person_count) as bigint) as person_count
from mining_truth as t
left join above as a on t.value = a.value
group by t.qi_id, coalesce(a.coarsest, t.value)
