-- What:   For each quasi-identifier that was given of a person: whether a record has it, and the texts that records have there.
-- Note:   Follows write/named_cover; for a message. Texts most like the given one first.
select
    v.column_name,
    v.text,
    bool_or(c.text is not null) as is_covered,
    list(distinct x.text) filter (where x.text is not null) as texts
from named_value as v
left join named_text as x on v.column_name = x.column_name
left join named_cover as c
    on
        v.column_name = c.column_name and v.text is not distinct from c.value and x.text is not distinct from c.text
        and (c.is_exact or exists (select 1 from named_tuple as t where t.is_generalized))
where v.person_id = $person_id
group by v.column_name, v.text
order by v.column_name
