-- What:   The buckets in which a published value stands for several finer ones.
-- Grain:  audit_id, bucket_id
-- Source: Re-publishing, section 3.4; the shares of Privacy-MaxEnt, Theorem 5, are not enough there
-- Note:   Their persons go to the solver, which splits what a coarser value leaves open.
create view model.coarse_bucket as
select distinct
    v.audit_id,   -- the audit
    v.release_id, -- the release
    v.bucket_id   -- the bucket
from model.bucket_value_count as v
inner join result.value_leaf as l on v.audit_id = l.audit_id and v.value = l.value;
