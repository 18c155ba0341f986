-- What:   Persons whom an audit has in two subjects, or twice in one.
-- Note:   Everybody belongs to exactly one subject.
select audit_id, person_id, count(*) as subject_count
from result.subject_person
group by audit_id, person_id
having count(*) > 1
