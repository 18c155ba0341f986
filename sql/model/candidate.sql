-- What:   The sensitive values that a subject can still have after every release in which it appears.
-- Grain:  audit_id, subject_id, value
-- Source: Re-publishing, Definition 3.2 (maximum common subset) and Eq. 3 (Zero constraints)
-- Note:   A subject in r releases keeps a value that occurs in all r of its buckets: counting replaces intersecting.
create view model.candidate as
with
    required as (
        select audit_id, subject_id, count(*) as release_count
        from result.subject_bucket
        group by audit_id, subject_id
    ),

    -- What a bucket offers twice, as a value of its own and as a leaf of a coarser one, counts once.
    bucket_leaf as (
        select v.audit_id, v.bucket_id, v.value as leaf
        from model.bucket_value_count as v
        left join model.coarse_bucket as c on v.audit_id = c.audit_id and v.bucket_id = c.bucket_id
        where c.bucket_id is null
        union all
        select distinct f.audit_id, f.bucket_id, f.leaf
        from model.figure_leaf as f
        inner join model.coarse_bucket as c on f.audit_id = c.audit_id and f.bucket_id = c.bucket_id
    ),

    offered as (
        select
            b.audit_id,
            b.subject_id,
            v.leaf as value,
            count(*) as release_count
        from result.subject_bucket as b
        inner join bucket_leaf as v on b.audit_id = v.audit_id and b.bucket_id = v.bucket_id
        group by b.audit_id, b.subject_id, v.leaf
    ),

    anything as (
        select
            s.audit_id,
            s.subject_id,
            d.value
        from result.subject as s
        inner join model.domain as d on s.audit_id = d.audit_id
        left join required as r on s.audit_id = r.audit_id and s.subject_id = r.subject_id
        where r.subject_id is null
    )

select
    o.audit_id,   -- the audit
    o.subject_id, -- the subject
    o.value       -- a value that nothing excludes yet
from offered as o
inner join required as r
    on o.audit_id = r.audit_id and o.subject_id = r.subject_id and o.release_count = r.release_count
union all
select
    audit_id,
    subject_id,
    value
from anything;
