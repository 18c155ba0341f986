-- What:   The published figures that an audit looks at: how often a bucket lists a value, with a name for each.
-- Grain:  audit_id, bucket_id, value
-- Source: Privacy-MaxEnt, section 4.1; Re-publishing, Eq. 6
-- Note:   The key can be read aloud. A comma inside a name is quoted, so that two figures never share a key.
create view model.figure as
with
    named as (
        select
            v.audit_id,
            v.release_id,
            v.bucket_id,
            v.value,
            v.value_count,
            case when b.bucket like '%,%' or b.bucket like '%"%' then '"' || replace(b.bucket, '"', '""') || '"' else b.bucket end as bucket_name,
            r.release as release_name
        from model.bucket_value_count as v
        inner join published.bucket as b on v.bucket_id = b.bucket_id
        inner join published.release as r on v.release_id = r.release_id
    )

select
    audit_id,    -- the audit
    release_id,  -- the release
    bucket_id,   -- the bucket
    value,       -- the sensitive value, as published
    value_count, -- how often it was published
    'release ' || release_name || ', bucket ' || bucket_name || ', ' || value as constraint_key -- the figure in words
from named;
