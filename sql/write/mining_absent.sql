-- What:   Keep the strongest rules of a level that say that nobody of a pattern has a value.
-- Note:   Their confidence is 1 and their support the whole pattern: the patterns with most persons suffice, each with the values that it lacks.
insert into mining_rule
with
    largest as (
        select columns, code, person_count
        from mining_antecedent
        where value_kind_count < (select count(*) from mining_value)
        order by person_count desc, columns desc, code asc
        limit $negative
    )

select
    false,
    1.0,
    a.person_count,
    bit_count(a.columns),
    a.columns,
    a.code,
    v.number,
    a.person_count as total,
    0
from largest as a
cross join mining_value as v
left join mining_pattern as p on a.columns = p.columns and a.code = p.code and v.number = p.value
where p.value is null
order by a.person_count desc, a.columns desc, a.code asc, v.number asc
limit $negative
