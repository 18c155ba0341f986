-- What:   Store the conditions of the rules that were mined.
-- Note:   Follows write/mined_rule_item.
insert into adversary.rule_item (rule_id, column_name, item)
select rule_id, column_name, item
from mined_rule_item
