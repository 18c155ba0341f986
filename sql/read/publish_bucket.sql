-- What:   The buckets of a release by name, and the first whole number that is above all names that are numbers.
-- Note:   Buckets that come later are numbered from there, so that a name never means two of them.
select
    bucket_id,
    bucket,
    coalesce(max(try_cast(bucket as bigint)) over (), 0) + 1 as next_number
from published.bucket
where release_id = $release_id
order by bucket_id
