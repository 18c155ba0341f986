-- What:   Persons of an audit who stand in other buckets of its releases than their subject.
-- Note:   All persons of a subject stand in the same buckets.
with
    stands as (
        select s.audit_id, s.subject_id, s.person_id, m.bucket_id
        from result.subject_person as s
        inner join model.member_in_scope as m on s.audit_id = m.audit_id and s.person_id = m.person_id
    ),

    said as (
        select s.audit_id, s.subject_id, s.person_id, b.bucket_id
        from result.subject_person as s
        inner join result.subject_bucket as b on s.audit_id = b.audit_id and s.subject_id = b.subject_id
    )

select
    coalesce(t.audit_id, s.audit_id) as audit_id,
    coalesce(t.person_id, s.person_id) as person_id,
    coalesce(t.bucket_id, s.bucket_id) as bucket_id
from stands as t
full join said as s
    on t.audit_id = s.audit_id and t.subject_id = s.subject_id and t.person_id = s.person_id and t.bucket_id = s.bucket_id
where t.audit_id is null or s.audit_id is null
