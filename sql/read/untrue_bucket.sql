-- What:   In how many buckets of a release the published values are not those of its microdata.
-- Note:   Buckets that list a coarser value are left aside: the microdata may tell it more finely.
with
    truth as (
        select i.bucket, t.value, count(*) as value_count
        from incoming as i
        inner join incoming_truth as t on cast(i.person as varchar) = cast(t.person as varchar)
        group by i.bucket, t.value
    ),

    coarse as (
        select distinct h.node
        from published.hierarchy_node as h
        inner join published.dataset_column as c on h.dataset_id = c.dataset_id and h.column_name = c.column_name
        where h.dataset_id = $dataset_id and h.node <> h.leaf and c.role = 'sensitive'
    )

select count(distinct coalesce(t.bucket, v.bucket)) as bucket_count
from truth as t
full join incoming_value as v on t.bucket = v.bucket and t.value = v.value
where
    t.value_count is distinct from v.value_count
    and coalesce(t.bucket, v.bucket) not in (
        select o.bucket
        from incoming_value as o
        inner join incoming_distinct_value as d on o.value = d.value
        inner join coarse as c on list_contains(coalesce(d.parts, [d.value]), c.node)
    )
