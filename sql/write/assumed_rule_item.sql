-- What:   The conditions of the rules that an audit assumes.
-- Note:   Follows write/assumed_rule.
create or replace temp table assumed_rule_item as
select i.rule_id, i.column_name, i.item
from adversary.rule_item as i
inner join assumed_rule as r on i.rule_id = r.rule_id
