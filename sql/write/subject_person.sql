-- What:   Keep who the subjects of an audit are.
-- Note:   The other views of the model build on these rows.
insert into result.subject_person (audit_id, subject_id, person_id, qi_id)
select audit_id, subject_id, person_id, qi_id
from model.subject_person
where audit_id = $audit_id
