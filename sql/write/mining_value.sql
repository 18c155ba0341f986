-- What:   A number for each sensitive value that somebody has, in order.
-- Note:   A value that nobody has is no knowledge: that everybody lacks it says nothing.
create or replace temp table mining_value as
select value, row_number() over (order by value asc) as number
from (select distinct value from mining_truth) as held
