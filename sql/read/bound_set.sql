-- What:   The bounds that are asked for of named persons and of the records that they may be: each a sum over cells, with weights.
-- Note:   Follows write/bound_subject and write/cell_position. A named person: his cells of a value, wherever he stands. Records: everybody's cells there, by their share.
with
    part as (
        select n.subject_id, c.value, c.cell, cast(1.0 as double) as weight, cast(1.0 as double) as person_count
        from cell_position as c
        inner join result.named_person as n on n.audit_id = $audit_id and c.subject_id = n.subject_id
        union all
        select
            r.subject_id,
            c.value,
            c.cell,
            cast(u.person_count as double) / cast(r.person_count as double) as weight,
            cast(r.person_count as double) as person_count
        from cell_position as c
        inner join result.pool_subject as u on u.audit_id = $audit_id and c.subject_id = u.subject_id
        inner join result.subject as r on r.audit_id = $audit_id and c.record_subject_id = r.subject_id
    )

select
    dense_rank() over (order by p.subject_id, p.value) - 1 as number,
    p.subject_id,
    p.value,
    p.cell,
    p.weight,
    p.person_count
from part as p
where p.subject_id in (select b.subject_id from bound_subject as b)
order by number, p.cell
