-- What:   Rows of a map of values in which something is missing.
-- Says:   {count} rows have an empty field (row {places}). Each row says what was published and what it means.
select row as place
from value_map
where published is null or means is null
order by row
