-- What:   Values at the top of a hierarchy that has more than one.
-- Says:   its last level has {count} values instead of one that stands for all: {places}. Add a level with * in each row.
select node as place
from incoming_node
where level = height and (select count(distinct n.node) from incoming_node as n where n.level = n.height) > 1
group by node
order by node
