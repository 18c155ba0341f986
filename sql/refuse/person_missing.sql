-- What:   Records without an id, in a dataset that has one.
-- Says:   {count} records have no id (rows {places}). Give everybody an id, or declare the dataset without --id.
select row as place
from incoming
where person is null
order by row
