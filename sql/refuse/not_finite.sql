-- What:   Numbers that are none: NaN and infinity.
-- Says:   {count} records hold NaN or infinity where a number should be (rows {places}). Leave the field empty if it is not known.
select row as place
from incoming
where not_finite
order by row
