-- What:   How many records of each value stood in a bucket of a release, and how many of those who stay there have it in the file that was read.
-- Note:   The difference left, and each of them left an empty place; where it is negative, somebody's value has changed.
with
    stayed as (
        select m.bucket_id, i.value, count(*) as stayed_count
        from incoming as i
        inner join published.person as n on cast(i.person as varchar) = n.person
        inner join published.member as m on n.person_id = m.person_id
        where m.release_id = $release_id
        group by m.bucket_id, i.value
    ),

    stood as (
        select bucket_id, value, value_count as stood_count
        from published.bucket_value
        where release_id = $release_id
    )

select
    coalesce(b.bucket_id, s.bucket_id) as bucket_id,
    coalesce(b.value, s.value) as value,
    coalesce(b.stood_count, 0) as stood_count,
    coalesce(s.stayed_count, 0) as stayed_count
from stood as b
full join stayed as s on b.bucket_id = s.bucket_id and b.value = s.value
order by all
