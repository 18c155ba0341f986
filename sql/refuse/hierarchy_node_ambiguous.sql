-- What:   Names of a hierarchy that stand for different leaves at different levels.
-- Says:   {count} names stand for different sets of values at different levels: {places}. Give them names of their own.
with
    meaning as (
        select level, node, string_agg(leaf, chr(10) order by leaf) as leaves
        from incoming_node
        group by level, node
    )

select node as place
from meaning
group by node
having count(distinct leaves) > 1
order by node
