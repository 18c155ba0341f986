-- What:   Of whom the cells of the problem tell what: the values of each group of persons as sums over cells, with weights.
-- Note:   Follows write/cell_position. A named person: his cells of a value, wherever he stands; sums do not count him again. Records that he may be: everybody's cells there, by their share.
select
    c.subject_id,
    c.value,
    c.cell,
    cast(1.0 as double) as weight,
    cast(s.person_count as double) as person_count
from cell_position as c
inner join result.subject as s on s.audit_id = $audit_id and c.subject_id = s.subject_id
union all
select
    n.subject_id,
    c.value,
    c.cell,
    cast(1.0 as double) as weight,
    cast(0.0 as double) as person_count
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
order by subject_id, value, cell
