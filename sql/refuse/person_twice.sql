-- What:   Persons who have more than one record.
-- Says:   {count} persons have more than one record: id {places}. A person has one record; give --unit record if each row shall be audited as a person of its own.
with
    twice as (
        select person
        from incoming
        group by person
        having count(*) > 1
    )

select i.person || ' (rows ' || string_agg(cast(i.row as varchar), ', ' order by i.row) || ')' as place
from incoming as i
inner join twice as t on i.person = t.person
group by i.person
order by min(i.row)
