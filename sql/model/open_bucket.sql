-- What:   The buckets in which somebody stands whose answer needs the solver.
-- Grain:  audit_id, bucket_id
-- Source: Privacy-MaxEnt, section 5.5: only relevant buckets take part
-- Note:   Nobody in such a bucket is answered in closed form: the rule is model.open_subject's.
create view model.open_bucket as
select distinct
    b.audit_id,   -- the audit
    b.release_id, -- the release
    b.bucket_id   -- the bucket
from result.subject_bucket as b
inner join result.subject as s on b.audit_id = s.audit_id and b.subject_id = s.subject_id
where not s.is_closed;
