-- What:   Of whom the cells of the problem tell what: the values of each group of persons as sums over cells, with weights.
-- Note:   Follows write/place_share. A group's own cells, unless somebody in it may be named.
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
    subject_id,
    value,
    cell,
    weight,
    person_count
from place_share
order by subject_id, value, cell
