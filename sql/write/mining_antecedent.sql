-- What:   The patterns that enough persons have, whatever their value.
-- Note:   Follows write/mining_pattern. Both kinds of rules need so many.
create or replace temp table mining_antecedent as
select columns, code, cast(sum(value_count) as bigint) as person_count, count(*) as value_kind_count
from mining_pattern
group by columns, code
having sum(value_count) >= $min_support
