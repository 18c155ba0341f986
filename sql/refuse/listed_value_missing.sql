-- What:   Rows of a list of values without a value.
-- Says:   {count} rows of the values have no sensitive value (rows {places}). Give --null-value NAME if a missing value was published as such.
select row as place
from incoming_value_row
where value is null
order by row
