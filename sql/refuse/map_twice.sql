-- What:   Published values to which a map gives two meanings.
-- Says:   {count} values have more than one meaning: {places}. Keep one row for each.
select published as place
from value_map
group by coalesce(column_name, ''), published
having count(distinct means) > 1
order by published
