-- What:   The subject of a person in an audit, and how many persons nothing tells apart from him.
-- Note:   No row where nobody in scope has that name; several where records of different releases share it.
select
    p.subject_id,
    p.person_id,
    s.person_count
from result.subject_person as p
inner join published.person as n on p.person_id = n.person_id
inner join result.subject as s on p.audit_id = s.audit_id and p.subject_id = s.subject_id
where p.audit_id = $audit_id and n.person = $person
order by p.person_id
