-- What:   Columns that a map of values names although the dataset has no such sensitive column.
-- Says:   {count} columns are named that are not sensitive here: {places}. The first of three columns names a sensitive column.
select column_name as place
from value_map
where
    column_name is not null
    and column_name not in (
        select c.column_name from published.dataset_column as c
        where c.dataset_id = $dataset_id and c.role = 'sensitive'
    )
group by column_name
order by column_name
