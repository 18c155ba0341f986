-- What:   Values of a file that a declared domain does not allow.
-- Note:   A coarser value is allowed if one of the values that it stands for is. No row where no domain was declared.
with
    declared as (
        select value
        from published.domain_value
        where dataset_id = $dataset_id and source = 'declared'
    ),

    sensitive as (
        select column_name, position, count(*) over () as column_count
        from published.dataset_column
        where dataset_id = $dataset_id and role = 'sensitive'
    ),

    part as (
        select
            v.value,
            s.column_name,
            s.column_count,
            case when v.parts is null then v.value else v.parts[s.position] end as part
        from incoming_distinct_value as v
        cross join sensitive as s
    ),

    meaning as (
        select p.value, p.column_name, p.column_count, p.part as leaf
        from part as p
        union
        select p.value, p.column_name, p.column_count, h.leaf
        from part as p
        inner join published.hierarchy_node as h
            on h.dataset_id = $dataset_id and p.column_name = h.column_name and p.part = h.node
    ),

    allowed as (
        select m.value
        from meaning as m
        inner join published.value_part as d
            on d.dataset_id = $dataset_id and m.column_name = d.column_name and m.leaf = d.part
        inner join declared as k on d.value = k.value
        group by m.value, m.column_count, d.value
        having count(*) = m.column_count
    )

select value
from incoming_distinct_value
where exists (select 1 from declared) and value not in (select a.value from allowed as a)
order by value
