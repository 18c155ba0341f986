-- What:   Number the buckets of a release.
-- Note:   Keys follow the names as people count them: 2 before 10.
create or replace temp table incoming_bucket as
with
    sized as (
        select bucket as incoming_bucket, cast(bucket as varchar) as bucket, count(*) as member_count
        from incoming
        group by bucket
    )

select
    incoming_bucket,
    bucket,
    member_count,
    (select coalesce(max(b.bucket_id), 0) from published.bucket as b)
    + row_number() over (order by length(bucket), bucket) as bucket_id
from sized
