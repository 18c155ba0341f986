-- What:   What is certain of persons who are answered in closed form.
-- Note:   In a bucket with several values any of its persons may have any of them, and none must (MATHS 5.6).
insert into result.bound (audit_id, subject_id, place, value, lower, upper)
select p.audit_id, p.subject_id, p.place, p.value, case when p.is_forced then 1.0 else 0.0 end, 1.0
from result.posterior as p
inner join result.subject as s on p.audit_id = s.audit_id and p.subject_id = s.subject_id
where p.audit_id = $audit_id and s.is_closed and p.subject_id in (select a.subject_id from bound_subject as a)
