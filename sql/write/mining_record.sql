-- What:   The persons in whom rules are looked for, alike ones together.
-- Note:   Follows write/pattern_tuple_code and write/mining_value.
create or replace temp table mining_record as
select c.columns, c.code, v.number as value, cast(sum(t.person_count) as bigint) as person_count
from mining_truth as t
inner join pattern_tuple_code as c on t.qi_id = c.qi_id
inner join mining_value as v on t.value = v.value
group by c.columns, c.code, v.number
