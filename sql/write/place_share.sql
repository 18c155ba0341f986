-- What:   What the cells at places tell: of a named person the values wherever he stands, of the records that he may be everybody's values there, by their share.
-- Note:   Follows write/cell_position; empty where nobody is named. group_size are persons alike; person_count is how many of them sums count: a named person is among the records already.
create or replace temp table place_share as
select
    n.subject_id,
    c.value,
    c.cell,
    cast(1.0 as double) as weight,
    cast(1.0 as double) as group_size,
    cast(0.0 as double) as person_count
from cell_position as c
inner join result.named_person as n on n.audit_id = $audit_id and c.subject_id = n.subject_id
union all
select
    r.subject_id,
    c.value,
    c.cell,
    cast(u.person_count as double) / cast(r.person_count as double) as weight,
    cast(r.person_count as double) as group_size,
    cast(r.person_count as double) as person_count
from cell_position as c
inner join result.pool_subject as u on u.audit_id = $audit_id and c.subject_id = u.subject_id
inner join result.subject as r on r.audit_id = $audit_id and c.record_subject_id = r.subject_id
