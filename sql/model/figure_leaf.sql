-- What:   Which sensitive values each published figure counts: a coarser value of a declared hierarchy counts its leaves together.
-- Grain:  audit_id, bucket_id, value, leaf
-- Source: Re-publishing, Eq. 6 (Relation constraints), summed over the leaves of a published value
-- Note:   A value that stands for nothing finer is its own leaf. What stands for what was fixed when the audit ran.
create view model.figure_leaf as
select
    v.audit_id,    -- the audit
    v.release_id,  -- a release in its scope
    v.bucket_id,   -- a bucket of that release
    v.value,       -- as published
    v.value_count, -- its number of occurrences
    coalesce(l.leaf, v.value) as leaf -- a value that an occurrence may mean
from model.bucket_value_count as v
left join result.value_leaf as l on v.audit_id = l.audit_id and v.value = l.value;
