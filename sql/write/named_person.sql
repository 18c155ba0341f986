-- What:   Keep who the named persons of an audit are.
-- Note:   Beside write/pool_subject.
insert into result.named_person (audit_id, subject_id, person_id)
select audit_id, subject_id, person_id
from model.pool_subject
where audit_id = $audit_id and kind = 'named'
