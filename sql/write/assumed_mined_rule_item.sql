-- What:   The conditions of these rules.
-- Note:   Follows write/assumed_mined_rule and write/mined_rule_item.
create or replace temp table assumed_rule_item as
select i.rule_id, i.column_name, i.item
from mined_rule_item as i
inner join assumed_rule as r on i.rule_id = r.rule_id
