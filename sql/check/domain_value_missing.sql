-- What:   Published values that a declared domain does not list.
-- Note:   A declared domain is the last word: a release with another value is refused, unless a hierarchy says that it stands for some of them.
with
    declared as (
        select dataset_id, value
        from published.domain_value
        where source = 'declared'
    ),

    coarse as (
        select distinct p.dataset_id, p.value
        from published.value_part as p
        inner join published.hierarchy_node as h on p.dataset_id = h.dataset_id and p.column_name = h.column_name and p.part = h.node
        where h.node <> h.leaf
    )

select distinct r.dataset_id, r.release, v.value
from published.bucket_value as v
inner join published.release as r on v.release_id = r.release_id
left join declared as d on r.dataset_id = d.dataset_id and v.value = d.value
left join coarse as c on r.dataset_id = c.dataset_id and v.value = c.value
where d.value is null and c.value is null and r.dataset_id in (select e.dataset_id from declared as e)
