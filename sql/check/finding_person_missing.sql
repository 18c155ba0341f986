-- What:   Findings about persons whom the audit does not have.
-- Note:   A finding may concern nobody in particular.
select f.audit_id, f.policy_rule, f.person_id
from result.finding as f
inner join result.audit as a on f.audit_id = a.audit_id
left join model.audited_person as s on f.audit_id = s.audit_id and f.person_id = s.person_id
where f.person_id is not null and s.person_id is null
