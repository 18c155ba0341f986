-- What:   Values that have not one part for each sensitive column.
-- Note:   Of releases and of the domain. With one sensitive column the value is its own part.
with
    seen as (
        select r.dataset_id, v.value
        from published.bucket_value as v
        inner join published.release as r on v.release_id = r.release_id
        union
        select dataset_id, value
        from published.domain_value
        union
        select dataset_id, value
        from published.value_part
    )

select s.dataset_id, s.value, count(distinct p.column_name) as part_count
from seen as s
inner join published.dataset_column as c on s.dataset_id = c.dataset_id and c.role = 'sensitive'
left join published.value_part as p on s.dataset_id = p.dataset_id and s.value = p.value and c.column_name = p.column_name
group by s.dataset_id, s.value
having count(distinct p.column_name) <> count(distinct c.column_name)
