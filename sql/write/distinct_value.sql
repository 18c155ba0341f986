-- What:   The different values of a file that was read as records.
-- Note:   There are few of them.
create or replace temp table incoming_distinct_value as
select value, any_value(parts) as parts
from incoming
group by value
