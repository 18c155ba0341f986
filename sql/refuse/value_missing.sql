-- What:   Records without a sensitive value.
-- Says:   {count} records have no sensitive value (rows {places}). Give --null-value NAME if a missing value was published as such.
select row as place
from incoming
where value is null
order by row
