-- What:   Who stands in which bucket of the releases that an audit looks at.
-- Grain:  audit_id, release_id, person_id
-- Source: Re-publishing, section 2 (a release is a set of buckets; a person is followed by pseudonym)
-- Note:   Records that the audit linked are the person of the earliest of them. Everything else in this schema sees the publications through this view and model.bucket_in_scope.
create view model.member_in_scope as
select
    s.audit_id,   -- the audit
    m.release_id, -- a release in its scope
    m.bucket_id,  -- the bucket of that release where the person stands
    coalesce(l.person_id, m.person_id) as person_id, -- the person
    m.qi_id       -- the quasi-identifiers as that release shows them
from result.audit_release as s
inner join published.member as m on s.release_id = m.release_id
left join result.linked_person as l on s.audit_id = l.audit_id and m.person_id = l.record_person_id;
