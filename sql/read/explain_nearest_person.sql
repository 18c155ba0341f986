-- What:   Persons in an audit's scope whose names are most like a given one.
-- Note:   For a message: whoever mistyped a name sees what he meant.
select n.person
from model.audited_person as p
inner join published.person as n on p.person_id = n.person_id
where p.audit_id = $audit_id
order by levenshtein(lower(n.person), lower($person)), length(n.person), n.person
limit 3
