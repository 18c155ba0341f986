-- What:   Releases that say another number of records or buckets than they have.
-- Note:   Counted from published.member and published.bucket.
with
    member_count as (
        select release_id, count(*) as record_count
        from published.member
        group by release_id
    ),

    bucket_count as (
        select release_id, count(*) as bucket_count
        from published.bucket
        group by release_id
    )

select r.release_id, r.release, r.record_count, m.record_count as member_count, r.bucket_count
from published.release as r
left join member_count as m on r.release_id = m.release_id
left join bucket_count as b on r.release_id = b.release_id
where r.record_count is distinct from m.record_count or r.bucket_count is distinct from b.bucket_count
