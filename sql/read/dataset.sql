-- What:   A dataset by name, with its columns by role.
-- Note:   No row where there is none.
select
    d.dataset_id,
    list(c.column_name order by c.position) filter (where c.role = 'qi') as quasi_identifiers,
    list(c.column_name order by c.position) filter (where c.role = 'sensitive') as sensitive,
    any_value(c.column_name) filter (where c.role = 'id') as id,
    d.unit,
    d.null_value,
    d.population_source,
    d.link,
    d.values_may_change
from published.dataset as d
inner join published.dataset_column as c on d.dataset_id = c.dataset_id
where d.dataset = $dataset
group by all
