-- What:   Rows of a hierarchy in which a level is empty.
-- Says:   {count} rows have a level without a value: row {places}. Repeat the value of the level below where nothing changes.
select distinct row as place
from incoming_node
where node is null
order by row
