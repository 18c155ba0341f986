-- What:   By release, named persons who are more than the records that any of them can be.
-- Note:   Follows write/named_fit. For each person all those who can be nobody but a record that he can be, too; a release where they fit has no row.
with
    room as (
        select release_id, person_id, sum(record_count) as record_count, count(*) as qi_count
        from named_fit
        group by release_id, person_id
    ),

    shared as (
        select a.release_id, a.person_id, b.person_id as other_id, count(*) as qi_count
        from named_fit as a
        inner join named_fit as b on a.release_id = b.release_id and a.qi_id = b.qi_id
        group by a.release_id, a.person_id, b.person_id
    ),

    inside as (
        select s.release_id, s.person_id, s.other_id
        from shared as s
        inner join room as o on s.release_id = o.release_id and s.other_id = o.person_id and s.qi_count = o.qi_count
    ),

    crowd as (
        select i.release_id, i.person_id, any_value(r.record_count) as record_count, count(*) as person_count
        from inside as i
        inner join room as r on i.release_id = r.release_id and i.person_id = r.person_id
        group by i.release_id, i.person_id
        having count(*) > any_value(r.record_count)
    )

select
    c.release_id,
    cast(c.record_count as bigint) as record_count,
    list(distinct v.person order by v.person) as persons
from crowd as c
inner join inside as i on c.release_id = i.release_id and c.person_id = i.person_id
inner join named_value as v on i.other_id = v.person_id
group by c.release_id, c.person_id, c.record_count
order by c.record_count, persons
