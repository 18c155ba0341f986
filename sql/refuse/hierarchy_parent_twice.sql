-- What:   Nodes of a hierarchy that belong to more than one node of the next level.
-- Says:   {count} values belong to more than one value of the next level: {places}. Put each below one only.
select node || ' (level' || level || ')' as place
from incoming_node
where level < height
group by level, node
having count(distinct parent) > 1
order by level, node
