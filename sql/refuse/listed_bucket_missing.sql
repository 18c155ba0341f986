-- What:   Published values that belong to no bucket.
-- Says:   {count} rows of the values have no bucket (rows {places}).
select row as place
from incoming_value_row
where bucket is null
order by row
