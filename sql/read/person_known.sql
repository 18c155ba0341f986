-- What:   Which of the named persons are in an audit's scope.
-- Note:   A person without an id is named release#row.
select distinct n.person
from model.audited_person as s
inner join published.person as n on s.person_id = n.person_id
where s.audit_id = $audit_id and list_contains($persons, n.person)
