-- What:   Values that no reader could use.
-- Says:   {count} rows of the values hold a text of more than {longest} characters (rows {places}). Is it the right column?
select row as place
from incoming_value_row
where longest > 10000
order by row
