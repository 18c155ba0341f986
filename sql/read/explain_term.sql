-- What:   What the publications say of each value that some subjects might have: which figures count it, and which buckets lack it.
-- Note:   A value that a bucket does not list is a fact too, told of the value itself and of every coarser value of which the bucket lists nothing. Values that no bucket of a subject lists are left out, but for those that are asked about.
with
    chosen as (
        select unnest($subjects) as subject_id
    ),

    standing as (
        select b.subject_id, b.bucket_id
        from result.subject_bucket as b
        where b.audit_id = $audit_id and b.subject_id in (select c.subject_id from chosen as c)
    ),

    figure as (
        select f.bucket_id, f.value, f.leaf
        from model.figure_leaf as f
        where f.audit_id = $audit_id and f.bucket_id in (select s.bucket_id from standing as s)
    ),

    cell as (
        select s.subject_id, f.leaf
        from standing as s
        inner join figure as f on s.bucket_id = f.bucket_id
        union
        select $subject_id as subject_id, unnest($leaves) as leaf
    ),

    coarser as (
        select value, leaf
        from result.value_leaf
        where audit_id = $audit_id
    ),

    -- A bucket says nothing of a coarser value as soon as it lists one of the leaves.
    touched as (
        select distinct f.bucket_id, c.value
        from figure as f
        inner join coarser as c on f.leaf = c.leaf
    ),

    lacking as (
        select c.subject_id, c.leaf, s.bucket_id
        from cell as c
        inner join standing as s on c.subject_id = s.subject_id
        anti join figure as f on s.bucket_id = f.bucket_id and c.leaf = f.leaf
    ),

    term as (
        select s.subject_id, f.leaf, s.bucket_id, f.value, false as is_absent
        from standing as s
        inner join figure as f on s.bucket_id = f.bucket_id
        union all
        select subject_id, leaf, bucket_id, leaf as value, true as is_absent
        from lacking
        union all
        select l.subject_id, l.leaf, l.bucket_id, c.value, true as is_absent
        from lacking as l
        inner join coarser as c on l.leaf = c.leaf
        anti join touched as t on l.bucket_id = t.bucket_id and c.value = t.value
    ),

    answer as (
        select p.subject_id, p.value, sum(p.probability) as probability
        from result.posterior as p
        where p.audit_id = $audit_id and p.subject_id in (select c.subject_id from chosen as c)
        group by p.subject_id, p.value
    )

select
    t.subject_id,
    t.leaf,
    t.bucket_id,
    t.value,
    t.is_absent,
    coalesce(a.probability, 0) as probability
from term as t
left join answer as a on t.subject_id = a.subject_id and t.leaf = a.value
