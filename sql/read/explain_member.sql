-- What:   Who stands in some buckets, by subject and by name.
-- Note:   In the order in which the persons were first published.
select
    b.bucket_id,
    b.subject_id,
    n.person
from result.subject_bucket as b
inner join result.subject_person as p on b.audit_id = p.audit_id and b.subject_id = p.subject_id
inner join published.person as n on p.person_id = n.person_id
where b.audit_id = $audit_id and b.bucket_id in (select unnest($buckets))
order by p.person_id, b.bucket_id
