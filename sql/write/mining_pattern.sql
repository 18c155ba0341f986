-- What:   How many persons have each pattern over a set of columns together with each value.
-- Note:   One scan of the records for all sets of a level. Who lacks a frequent value in one of the columns has no pattern there.
create or replace temp table mining_pattern as
select s.columns, r.code & s.mask as code, r.value, cast(sum(r.person_count) as bigint) as value_count
from mining_record as r
inner join mining_subset as s on (r.columns & s.columns) = s.columns
group by all
