-- What:   The subject of a person in an audit, and whether he is named, so that it is uncertain which record is his.
-- Note:   No row where nobody in scope has that name; several where records of different releases share it.
select
    p.subject_id,
    p.person_id,
    p.is_named
from model.audited_person as p
inner join published.person as n on p.person_id = n.person_id
where p.audit_id = $audit_id and n.person = $person
order by p.person_id
