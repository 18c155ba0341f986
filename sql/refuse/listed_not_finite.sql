-- What:   Numbers in a list of values that are none: NaN and infinity.
-- Says:   {count} rows of the values hold NaN or infinity where a number should be (rows {places}). Correct them, or leave the field empty and give --null-value NAME.
select row as place
from incoming_value_row
where not_finite
order by row
