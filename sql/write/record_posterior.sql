-- What:   Answer for the records that named persons may be.
-- Note:   Follows write/solved_posterior, from which it is derived.
insert into result.posterior (audit_id, subject_id, place, value, probability, is_forced)
select audit_id, subject_id, '', value, probability, is_forced
from model.record_answer
where audit_id = $audit_id
