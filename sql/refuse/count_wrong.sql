-- What:   Counts that cannot be: missing, negative, fractions, or beyond a thousand million.
-- Says:   {count} rows have a count that is not a whole number from 0 on (rows {places}).
select row as place
from incoming
where stated_count is null or stated_count < 0 or stated_count > 1e9 or stated_count <> floor(stated_count)
order by row
