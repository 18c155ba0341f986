-- What:   Texts that no reader could use as a name or a value.
-- Says:   {count} records hold a text of more than {longest} characters (rows {places}). Is it the right column?
select row as place
from incoming
where longest > 10000
order by row
