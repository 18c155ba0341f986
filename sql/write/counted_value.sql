-- What:   Count the values of each bucket of a release that was read as records.
-- Note:   The pairing of value and record ends here: it was never published, and is not stored.
create or replace temp view incoming_value as
select bucket, value, count(*) as value_count
from incoming
group by bucket, value
