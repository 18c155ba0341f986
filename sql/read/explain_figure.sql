-- What:   The figures of some buckets, with the persons that each must and can count, and those that it counts on average in the answer.
-- Note:   Where a bucket mixes finer and coarser values, a figure is a range.
with
    chosen as (
        select unnest($buckets) as bucket_id
    ),

    figure as (
        select i.bucket_id, i.release_id, i.value, i.value_count, i.least, i.most
        from model.sa_invariant as i
        where i.audit_id = $audit_id and i.bucket_id in (select c.bucket_id from chosen as c)
    ),

    counted as (
        select f.bucket_id, f.value, sum(s.person_count * p.probability) as expected
        from figure as f
        inner join model.figure_leaf as l on l.audit_id = $audit_id and f.bucket_id = l.bucket_id and f.value = l.value
        inner join result.subject_bucket as b on b.audit_id = $audit_id and f.bucket_id = b.bucket_id
        inner join result.subject as s on s.audit_id = $audit_id and b.subject_id = s.subject_id
        inner join result.posterior as p on p.audit_id = $audit_id and b.subject_id = p.subject_id and l.leaf = p.value
        where f.least < f.most
        group by f.bucket_id, f.value
    )

select
    f.bucket_id,
    r.release,
    o.position,
    b.bucket,
    b.member_count,
    f.value,
    f.value_count,
    cast(f.least as bigint) as least,
    cast(f.most as bigint) as most,
    coalesce(c.expected, f.least) as expected
from figure as f
inner join published.bucket as b on f.bucket_id = b.bucket_id
inner join published.release as r on f.release_id = r.release_id
inner join model.release_order as o on o.audit_id = $audit_id and f.release_id = o.release_id
left join counted as c on f.bucket_id = c.bucket_id and f.value = c.value
order by f.bucket_id, f.value
