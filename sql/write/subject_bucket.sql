-- What:   Keep where the subjects of an audit stand.
-- Note:   Follows write/subject_person.
insert into result.subject_bucket (audit_id, subject_id, release_id, bucket_id)
select audit_id, subject_id, release_id, bucket_id
from model.subject_bucket
where audit_id = $audit_id
