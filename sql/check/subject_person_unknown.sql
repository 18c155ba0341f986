-- What:   Persons of an audit who do not exist in its dataset, or whose quasi-identifiers do not.
-- Note:   Whoever is in an audit is kept for it.
select s.audit_id, s.person_id, s.qi_id
from result.subject_person as s
inner join result.audit as a on s.audit_id = a.audit_id
left join published.person as n on s.person_id = n.person_id and a.dataset_id = n.dataset_id
left join published.qi as q on s.qi_id = q.qi_id and a.dataset_id = q.dataset_id
where n.person_id is null or q.qi_id is null
