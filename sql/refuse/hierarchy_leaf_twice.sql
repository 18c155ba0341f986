-- What:   Leaves of a hierarchy that have more than one row.
-- Says:   {count} values have more than one row: {places}. Keep one row for each value of level0.
select leaf as place
from incoming_node
where level = 0
group by leaf
having count(*) > 1
order by leaf
