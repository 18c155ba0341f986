-- What:   Bounds of something that has no answer.
-- Note:   Bounds are worked out beside an answer; those of a named person are of a value, wherever he stands.
select b.audit_id, b.subject_id, b.place, b.value
from result.bound as b
inner join result.audit as a on b.audit_id = a.audit_id
left join result.posterior as p on b.audit_id = p.audit_id and b.subject_id = p.subject_id and b.value = p.value
where p.audit_id is null and a.status = 'solved'
