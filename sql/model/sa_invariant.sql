-- What:   The number of persons in a bucket who have a value is what was published.
-- Grain:  audit_id, bucket_id, value
-- Source: Privacy-MaxEnt, section 4.1 (SA-invariant); Re-publishing, Eq. 6 (Relation constraints)
-- Note:   least and most differ only where other figures of the bucket may mean the same, because one of them is coarser.
create view model.sa_invariant as
select
    f.audit_id,       -- the audit
    f.constraint_key, -- the figure in words
    f.release_id,     -- the release
    f.bucket_id,      -- the bucket
    f.value,          -- the sensitive value, as published
    f.value_count,    -- how often it was published
    coalesce(r.least, f.value_count) as least, -- persons who have it, or something that it stands for
    coalesce(r.most, f.value_count) as most    -- the same, where other figures of the bucket may mean it too
from model.figure as f
left join model.figure_range as r on f.audit_id = r.audit_id and f.bucket_id = r.bucket_id and f.value = r.value;
