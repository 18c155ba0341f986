-- What:   The linear constraints of the part of an audit that needs the solver.
-- Grain:  audit_id, constraint_key
-- Source: MATHS 2: Relation (SA-invariant) and Knowledge; MATHS 1: the totals of places
-- Note:   Equal bounds are an equation. Rows of one family (a release) divide its members into blocks (buckets), each counting a single value; a bucket with coarser values, or one where somebody may stand who may also stand elsewhere, is no such block, and neither is a statement or the number of records at a place.
create view model.constraint_bound as
with
    shared_bucket as (
        select distinct b.audit_id, b.bucket_id
        from result.standing as t
        inner join result.subject_bucket as b on t.audit_id = b.audit_id and t.record_subject_id = b.subject_id
    )

select
    i.audit_id,                       -- the audit
    i.constraint_key,                 -- the figure, statement or place in words
    'relation' as kind,               -- which kind of constraint: relation, knowledge or place
    cast(i.least as double) as lower, -- least number of persons, or least value of a statement; null where there is none
    cast(i.most as double) as upper,  -- greatest number of persons, or greatest value of a statement; null where there is none
    case when c.bucket_id is null and p.bucket_id is null then i.release_id end as family, -- the release, or null
    case when c.bucket_id is null and p.bucket_id is null then i.bucket_id end as block,   -- the bucket, or null
    i.bucket_id,                      -- the bucket whose figure it is, or null
    i.value,                          -- the value that the figure counts, as published, or null
    null as statement_id              -- the statement, or null
from model.sa_invariant as i
inner join model.open_bucket as o on i.audit_id = o.audit_id and i.bucket_id = o.bucket_id
left join model.coarse_bucket as c on i.audit_id = c.audit_id and i.bucket_id = c.bucket_id
left join shared_bucket as p on i.audit_id = p.audit_id and i.bucket_id = p.bucket_id
union all
select
    audit_id,
    constraint_key,
    'knowledge' as kind,
    lower,
    upper,
    null as family,
    null as block,
    null as bucket_id,
    null as value,
    statement_id
from model.knowledge
union all
select
    audit_id,
    constraint_key,
    'place' as kind,
    cast(person_count as double) as lower,
    cast(person_count as double) as upper,
    null as family,
    null as block,
    null as bucket_id,
    null as value,
    null as statement_id
from model.place;
