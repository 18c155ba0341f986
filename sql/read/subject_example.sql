-- What:   One of the persons of a subject, or the named person that it is.
-- Note:   The first of them.
select min_by(n.person, n.person_id) as person
from model.audited_person as s
inner join published.person as n on s.person_id = n.person_id
where s.audit_id = $audit_id and s.subject_id = $subject_id
