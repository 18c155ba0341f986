-- What:   Subjects that say another number of persons than they have.
-- Note:   Counted from result.subject_person.
with
    counted as (
        select audit_id, subject_id, count(*) as person_count
        from result.subject_person
        group by audit_id, subject_id
    )

select s.audit_id, s.subject_id, s.person_count, c.person_count as counted
from result.subject as s
left join counted as c on s.audit_id = c.audit_id and s.subject_id = c.subject_id
where s.person_count is distinct from c.person_count
