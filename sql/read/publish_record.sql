-- What:   The records of a file that shall be published, as text, each with the bucket where its person stood before (null: nobody did).
-- Note:   The order depends on the records alone, not on how the file was sorted: a file sorted by value would tell.
with
    stood as (
        select n.person, m.bucket_id
        from published.member as m
        inner join published.person as n on m.person_id = n.person_id
        where m.release_id = $release_id
    )

select
    cast(i.person as varchar) as person,
    cast(columns('^qi_[0-9]') as varchar),
    i.value,
    s.bucket_id
from incoming as i
left join stood as s on cast(i.person as varchar) = s.person
order by all
