-- What:   Rows of the microdata of a release without a sensitive value.
-- Says:   {count} records have no sensitive value in the microdata (rows {places}). Give --null-value NAME if a missing value is meant.
select row as place
from incoming_truth
where value is null
order by row
