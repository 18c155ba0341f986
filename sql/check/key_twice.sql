-- What:   Keys of quasi-identifiers, persons, buckets and subjects that are given more than once.
-- Note:   Joins over these keys would multiply rows.
with
    given as (
        select 'qi' as kind, cast(qi_id as varchar) as key from published.qi
        union all
        select 'person' as kind, cast(person_id as varchar) as key from published.person
        union all
        select 'bucket' as kind, cast(bucket_id as varchar) as key from published.bucket
        union all
        select 'subject' as kind, audit_id || '.' || subject_id as key from result.subject
        union all
        select 'subject' as kind, audit_id || '.' || subject_id as key from result.pool_subject
        union all
        select 'bucket of a subject' as kind, audit_id || '.' || subject_id || '.' || release_id as key from result.subject_bucket
    )

select kind, key, count(*) as key_count
from given
group by kind, key
having count(*) > 1
