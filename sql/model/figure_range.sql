-- What:   How many persons of a bucket can have the values that a published figure counts, where it is not just the figure.
-- Grain:  audit_id, bucket_id, value
-- Source: Re-publishing, Eq. 6, for releases that mix finer and coarser values of a hierarchy
-- Note:   Where a bucket lists Cancer twice and Lung Cancer once, three persons have some cancer and one to three of them lung cancer. At least: all figures within; at most: all that may mean one of its leaves. Where a hierarchy spans one column this says all there is to say.
create view model.figure_range as
with
    leaf as (
        select
            f.audit_id,
            f.bucket_id,
            f.value,
            f.value_count,
            f.leaf
        from model.figure_leaf as f
        inner join model.coarse_bucket as c on f.audit_id = c.audit_id and f.bucket_id = c.bucket_id
    ),

    width as (
        select audit_id, bucket_id, value, count(*) as leaf_count
        from leaf
        group by audit_id, bucket_id, value
    ),

    shared as (
        select
            here.audit_id,
            here.bucket_id,
            here.value,
            there.value as other_value,
            max(there.value_count) as other_count,
            count(*) as leaf_count
        from leaf as here
        inner join leaf as there
            on here.audit_id = there.audit_id and here.bucket_id = there.bucket_id and here.leaf = there.leaf
        group by here.audit_id, here.bucket_id, here.value, there.value
    )

select
    s.audit_id,  -- the audit
    s.bucket_id, -- the bucket
    s.value,     -- as published
    sum(case when s.leaf_count = w.leaf_count then s.other_count else 0 end) as least, -- persons who must have one of its leaves
    sum(s.other_count) as most -- persons who can have one of its leaves
from shared as s
inner join width as w on s.audit_id = w.audit_id and s.bucket_id = w.bucket_id and s.other_value = w.value
group by s.audit_id, s.bucket_id, s.value;
