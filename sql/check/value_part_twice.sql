-- What:   Values that have two parts for one column, or a part for a column that is not sensitive.
-- Note:   Each part of a value belongs to one sensitive column.
select p.dataset_id, p.value, p.column_name
from published.value_part as p
left join published.dataset_column as c on p.dataset_id = c.dataset_id and p.column_name = c.column_name and c.role = 'sensitive'
group by p.dataset_id, p.value, p.column_name
having count(*) > 1 or count(c.column_name) = 0
