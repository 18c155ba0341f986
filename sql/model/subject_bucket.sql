-- What:   The buckets in which the persons of a subject stand.
-- Grain:  audit_id, subject_id, release_id
-- Source: MATHS 1: b_r(u)
-- Note:   All persons of a subject stand in the same buckets, so that one of them is asked for all.
create view model.subject_bucket as
with
    spokesman as (
        select audit_id, subject_id, min(person_id) as person_id
        from result.subject_person
        group by audit_id, subject_id
    )

select
    s.audit_id,   -- the audit
    s.subject_id, -- the subject
    m.release_id, -- a release in scope
    m.bucket_id   -- the bucket of that release
from spokesman as s
inner join model.member_in_scope as m on s.audit_id = m.audit_id and s.person_id = m.person_id;
