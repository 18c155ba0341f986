-- What:   Coarser values that some persons certainly have, although which finer one is open.
-- Note:   Column by column; the commonest first.
with
    possible as (
        select distinct p.subject_id, v.column_name, v.part
        from result.posterior as p
        inner join result.audit as a on p.audit_id = a.audit_id
        inner join published.value_part as v on a.dataset_id = v.dataset_id and p.value = v.value
        where p.audit_id = $audit_id and not (p.is_forced and p.probability = 0)
    ),

    counted as (
        select subject_id, column_name, count(*) as possible_count
        from possible
        group by subject_id, column_name
    ),

    within as (
        select p.subject_id, p.column_name, c.part, count(*) as possible_count
        from possible as p
        inner join model.coarse_part as c on c.audit_id = $audit_id and p.column_name = c.column_name and p.part = c.leaf
        group by p.subject_id, p.column_name, c.part
    )

select w.part as value, cast(sum(s.person_count) as bigint) as person_count
from within as w
inner join counted as n on w.subject_id = n.subject_id and w.column_name = n.column_name and w.possible_count = n.possible_count
inner join result.subject as s on s.audit_id = $audit_id and w.subject_id = s.subject_id
where n.possible_count > 1
group by w.part
order by person_count desc, value asc
