-- What:   Count the values of each bucket of a release that lists them in a file of their own.
-- Note:   Without a count each row is one occurrence.
create or replace temp view incoming_value as
select bucket, value, cast(sum(coalesce(stated_count, 1)) as bigint) as value_count
from incoming_value_row
group by bucket, value
having value_count > 0
