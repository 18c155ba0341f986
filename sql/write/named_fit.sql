-- What:   Which records each named person may be: those whose quasi-identifiers cover all that was given of him.
-- Note:   Follows write/named_cover. By release and by quasi-identifiers, not record by record.
create or replace temp table named_fit as
with
    given as (
        select person_id, count(*) as column_count
        from named_value
        group by person_id
    ),

    matched as (
        select t.release_id, v.person_id, t.qi_id, any_value(t.record_count) as record_count, count(*) as column_count
        from named_tuple as t
        inner join named_text as x on t.qi_id = x.qi_id
        inner join named_cover as c on x.column_name = c.column_name and x.text is not distinct from c.text and (t.is_generalized or c.is_exact)
        inner join named_value as v on c.column_name = v.column_name and c.value is not distinct from v.text
        group by t.release_id, v.person_id, t.qi_id
    )

select m.release_id, m.person_id, m.qi_id, m.record_count
from matched as m
inner join given as g on m.person_id = g.person_id and m.column_count = g.column_count
