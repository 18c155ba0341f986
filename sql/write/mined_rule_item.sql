-- What:   The conditions of the rules that were mined, value by value.
-- Note:   Follows write/mined_rule.
create or replace temp table mined_rule_item as
select r.rule_id, c.column_name, k.item
from mined_rule as r
inner join pattern_column as c on (r.columns & c.bit) <> 0
inner join pattern_code as k on c.column_name = k.column_name and ((r.code & c.mask) >> c.shift) = k.code
