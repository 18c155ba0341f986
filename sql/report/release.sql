-- What:   The releases, with their size and their smallest bucket.
-- Grain:  dataset, release
-- Source: DESIGN 3
-- Note:   Removed releases are left out: they count for the audits that used them, and for nothing else.
create view report.release as
with
    bucket as (
        select release_id, min(member_count) as smallest_bucket, max(member_count) as largest_bucket
        from published.bucket
        group by release_id
    ),

    value as (
        select release_id, count(distinct value) as value_count
        from published.bucket_value
        group by release_id
    )

select
    d.dataset,         -- of which dataset
    r.release,         -- name
    r.form,            -- bucketized, anatomy or generalized
    r.state,           -- candidate, published or withdrawn
    r.published_on,    -- the day of publication
    r.unit,            -- person, or record where each row is a person of its own
    r.record_count,    -- records
    r.bucket_count,    -- buckets
    b.smallest_bucket, -- records in the smallest bucket
    b.largest_bucket,  -- records in the largest bucket
    v.value_count,     -- different sensitive values
    r.source,          -- files it was read from
    r.digest,          -- SHA-256 of these files
    r.added_at         -- when it was registered
from published.release as r
inner join published.dataset as d on r.dataset_id = d.dataset_id
inner join bucket as b on r.release_id = b.release_id
inner join value as v on r.release_id = v.release_id
where r.state <> 'removed';
