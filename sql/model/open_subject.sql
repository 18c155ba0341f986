-- What:   The subjects whose answer needs the solver, because a bucket of theirs is tied to another one, or a statement speaks of it, or a named person may stand there.
-- Grain:  audit_id, subject_id
-- Source: Privacy-MaxEnt, Theorem 5 and section 5.5 (irrelevant buckets); MATHS 5.1
-- Note:   A bucket is closed if none of its persons stands in a second bucket or has a value that a statement counts or may be somebody who is named, and each of its values stands for itself; everybody in it then has the same simple answer.
create view model.open_subject as
with
    tied as (
        select audit_id, subject_id
        from result.subject_bucket
        group by audit_id, subject_id
        having count(*) > 1
    ),

    open_bucket as (
        select distinct b.audit_id, b.bucket_id
        from result.subject_bucket as b
        inner join tied as t on b.audit_id = t.audit_id and b.subject_id = t.subject_id
        union
        select audit_id, bucket_id
        from model.coarse_bucket
        union
        select b.audit_id, b.bucket_id
        from result.subject_bucket as b
        inner join model.concerned_subject as c on b.audit_id = c.audit_id and b.subject_id = c.subject_id
        union
        select b.audit_id, b.bucket_id
        from result.subject_bucket as b
        inner join result.standing as t on b.audit_id = t.audit_id and b.subject_id = t.record_subject_id
    ),

    beside as (
        select b.audit_id, b.subject_id
        from result.subject_bucket as b
        inner join open_bucket as o on b.audit_id = o.audit_id and b.bucket_id = o.bucket_id
    ),

    everybody as (
        select s.audit_id, s.subject_id
        from result.subject_person as s
        inner join result.audit as a on s.audit_id = a.audit_id
        where a.is_full_model
    )

select
    audit_id,  -- the audit
    subject_id -- the subject
from beside
union
select
    audit_id,
    subject_id
from everybody
union
select
    audit_id,
    subject_id
from model.concerned_subject
union
select
    audit_id,
    record_subject_id as subject_id
from result.standing;
