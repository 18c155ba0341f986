-- What:   The bounds that are asked for of named persons and of the records that they may be: each a sum over cells, with weights.
-- Note:   Follows write/bound_subject and write/place_share.
select
    dense_rank() over (order by p.subject_id, p.value) - 1 as number,
    p.subject_id,
    p.value,
    p.cell,
    p.weight,
    p.group_size as person_count
from place_share as p
where p.subject_id in (select b.subject_id from bound_subject as b)
order by number, p.cell
