-- What:   Buckets that say another number of records than they have members or values.
-- Note:   A bucket holds one value per record.
with
    member_count as (
        select bucket_id, count(*) as record_count
        from published.member
        group by bucket_id
    ),

    value_total as (
        select bucket_id, sum(value_count) as record_count
        from published.bucket_value
        group by bucket_id
    )

select b.bucket_id, b.bucket, b.member_count, m.record_count as members, v.record_count as values_counted
from published.bucket as b
left join member_count as m on b.bucket_id = m.bucket_id
left join value_total as v on b.bucket_id = v.bucket_id
where b.member_count is distinct from m.record_count or b.member_count is distinct from v.record_count
