-- What:   Records that stand in no bucket.
-- Says:   {count} records have no bucket (rows {places}). Every record of a release stands in one.
select row as place
from incoming
where bucket is null
order by row
