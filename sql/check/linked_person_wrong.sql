-- What:   Records that an audit linked although they do not exist, are in the same release, or were linked to two persons.
-- Note:   A person stands once in a release.
select l.audit_id, l.record_person_id, l.person_id
from result.linked_person as l
left join published.person as a on l.record_person_id = a.person_id
left join published.person as b on l.person_id = b.person_id
where
    a.release_id is null
    or b.release_id is null
    or a.release_id = b.release_id
    or (select count(*) from result.linked_person as o where o.audit_id = l.audit_id and o.record_person_id = l.record_person_id) > 1
