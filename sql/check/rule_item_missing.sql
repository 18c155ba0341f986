-- What:   Items of rules that do not exist, or of columns that are no quasi-identifier of the rule's dataset.
-- Note:   They would tell of somebody's condition without anybody knowing it.
select i.rule_id, i.column_name, i.item
from adversary.rule_item as i
left join adversary.rule as r on i.rule_id = r.rule_id
left join published.dataset_column as c on r.dataset_id = c.dataset_id and i.column_name = c.column_name and c.role = 'qi'
where c.column_name is null
