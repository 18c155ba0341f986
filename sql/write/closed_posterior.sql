-- What:   Answer everybody who needs no solver.
-- Note:   Follows write/subject.
insert into result.posterior (audit_id, subject_id, place, value, probability, is_forced)
select audit_id, subject_id, place, value, probability, is_forced
from model.closed_form
where audit_id = $audit_id
