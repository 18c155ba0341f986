-- What:   How often each sensitive value occurs in each bucket that an audit looks at.
-- Grain:  audit_id, bucket_id, value
-- Source: Privacy-MaxEnt, section 3: P(s, b); Re-publishing, section 2: the multiset of a bucket's values
-- Note:   The pairing of values and quasi-identifiers inside a bucket is not in the store: nobody can look at it by mistake.
create view model.bucket_value_count as
select
    b.audit_id,     -- the audit
    b.release_id,   -- a release in its scope
    b.bucket_id,    -- a bucket of that release
    v.value,        -- a sensitive value in it
    v.value_count,  -- its number of occurrences
    b.member_count  -- records in the bucket
from model.bucket_in_scope as b
inner join published.bucket_value as v on b.bucket_id = v.bucket_id;
