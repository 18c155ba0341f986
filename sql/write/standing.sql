-- What:   Keep where named persons, and those beside them, may stand.
-- Note:   Follows write/pool_subject.
insert into result.standing (audit_id, subject_id, place, record_subject_id)
select audit_id, subject_id, place, record_subject_id
from model.standing
where audit_id = $audit_id
