-- What:   Counts that come to more records than one machine keeps one by one.
-- Says:   the counts come to {places}. Ten million records are the most that can be registered from counts: divide the table.
select cast(sum(stated_count) as bigint) || ' records, most of them in row ' || arg_max(row, stated_count) as place
from incoming
having sum(stated_count) > 1e7
