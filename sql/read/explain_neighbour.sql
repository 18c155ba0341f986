-- What:   The buckets in which some subjects stand, with everybody who stands there.
-- Note:   One step outwards from a person.
select
    there.bucket_id,
    there.subject_id
from result.subject_bucket as there
where
    there.audit_id = $audit_id
    and there.bucket_id in (
        select here.bucket_id
        from result.subject_bucket as here
        where here.audit_id = $audit_id and here.subject_id in (select unnest($subjects))
    )
order by there.bucket_id, there.subject_id
