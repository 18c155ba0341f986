-- What:   The different values of a list of values.
-- Note:   There are few of them.
create or replace temp table incoming_distinct_value as
select value, any_value(parts) as parts
from incoming_value_row
group by value
