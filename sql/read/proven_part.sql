-- What:   Where several columns are sensitive: of how many persons the value of a single column is certain.
-- Note:   No row where one column is sensitive: the value is then all there is to know.
with
    possible_part as (
        select distinct p.subject_id, v.column_name, v.part
        from result.posterior as p
        inner join result.audit as a on p.audit_id = a.audit_id
        inner join published.value_part as v on a.dataset_id = v.dataset_id and p.value = v.value
        where p.audit_id = $audit_id and not (p.is_forced and p.probability = 0)
    ),

    certain_part as (
        select subject_id, column_name
        from possible_part
        group by subject_id, column_name
        having count(*) = 1
    ),

    sensitive_column as (
        select c.column_name, c.position, count(*) over () as column_count
        from published.dataset_column as c
        inner join result.audit as a on c.dataset_id = a.dataset_id
        where a.audit_id = $audit_id and a.status = 'solved' and c.role = 'sensitive'
    )

select
    c.column_name,
    coalesce(cast(sum(s.person_count) as bigint), 0) as person_count
from sensitive_column as c
left join certain_part as p on c.column_name = p.column_name
left join result.subject as s on s.audit_id = $audit_id and p.subject_id = s.subject_id
where c.column_count > 1
group by c.column_name, c.position
order by c.position
