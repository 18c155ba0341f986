-- What:   Keep whom the solver looks for in the records that named persons may be.
-- Note:   Follows write/subject_bucket.
insert into result.pool_subject (audit_id, subject_id, pool_id, kind, person_count)
select audit_id, subject_id, pool_id, kind, person_count
from model.pool_subject
where audit_id = $audit_id
