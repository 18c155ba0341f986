-- What:   What the coarser values in an audit's scope stand for.
-- Note:   Column by column, as the hierarchies have it; a declared domain says which leaves are possible.
create or replace temp table coarse_value_leaf as
with recursive
    in_scope as (
        select v.value
        from result.audit_release as s
        inner join published.bucket_value as v on s.release_id = v.release_id
        where s.audit_id = $audit_id
        union
        select value
        from published.domain_value
        where dataset_id = $dataset_id
    ),

    finer as (
        select column_name, node, leaf
        from published.hierarchy_node
        where dataset_id = $dataset_id
        group by column_name, node, leaf
    ),

    part_leaf as (
        select
            i.value,
            c.position,
            c.column_name,
            coalesce(f.leaf, p.part) as leaf
        from in_scope as i
        inner join published.value_part as p on p.dataset_id = $dataset_id and i.value = p.value
        inner join published.dataset_column as c on c.dataset_id = $dataset_id and c.role = 'sensitive' and p.column_name = c.column_name
        left join finer as f on p.column_name = f.column_name and p.part = f.node
    ),

    width as (
        select count(*) as column_count
        from published.dataset_column
        where dataset_id = $dataset_id and role = 'sensitive'
    ),

    built (value, position, leaf, parts) as (
        select p.value, p.position, case when w.column_count = 1 then p.leaf else p.column_name || '=' || p.leaf end, [p.leaf]
        from part_leaf as p
        cross join width as w
        where p.position = 1
        union all
        select b.value, p.position, b.leaf || '; ' || p.column_name || '=' || p.leaf, list_append(b.parts, p.leaf)
        from built as b
        inner join part_leaf as p on b.value = p.value and p.position = b.position + 1
    ),

    declared as (
        select value
        from published.domain_value
        where dataset_id = $dataset_id and source = 'declared'
    ),

    whole as (
        select b.value, b.leaf, b.parts
        from built as b
        inner join width as w on b.position = w.column_count
    ),

    -- A coarser value in the domain itself makes all its leaves possible.
    possible as (
        select w.leaf
        from whole as w
        inner join declared as d on w.value = d.value
    )

select w.value, w.leaf, w.parts
from whole as w
where
    w.value in (select k.value from whole as k where k.value <> k.leaf)
    and (not exists (select 1 from declared) or w.leaf in (select p.leaf from possible as p))
