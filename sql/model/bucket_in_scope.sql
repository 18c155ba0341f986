-- What:   The buckets of the releases that an audit looks at, with their size.
-- Grain:  audit_id, bucket_id
-- Source: Privacy-MaxEnt, section 3 (bucketization); Re-publishing, section 2
-- Note:   A bucket's key is unique in the store, so that it says of which release it is.
create view model.bucket_in_scope as
select
    s.audit_id,    -- the audit
    b.release_id,  -- a release in its scope
    b.bucket_id,   -- a bucket of that release
    b.bucket,      -- its name there
    b.member_count -- records in it
from result.audit_release as s
inner join published.bucket as b on s.release_id = b.release_id;
