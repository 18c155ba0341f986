-- What:   Subjects of solved audits without an answer.
-- Note:   A solved audit answers for everybody.
select s.audit_id, s.subject_id, s.person_count
from (
    select audit_id, subject_id, person_count from result.subject
    union all
    select audit_id, subject_id, person_count from result.pool_subject
) as s
inner join result.audit as a on s.audit_id = a.audit_id
left join result.posterior as p on s.audit_id = p.audit_id and s.subject_id = p.subject_id
where a.status = 'solved' and p.subject_id is null
