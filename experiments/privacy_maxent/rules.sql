-- What:   The mined rules of an adversary in order, each with its condition on one line.
-- Note:   A rule with confidence 1 that adds an item to another such rule says nothing that the other does not say.
select
    r.rule_id,
    r.is_positive,
    r.value,
    r.confidence = 1 as is_sure,
    string_agg(i.column_name || '=' || i.item, '|' order by i.column_name) as condition
from adversary.rule as r
inner join adversary.rule_item as i on r.rule_id = i.rule_id
where r.adversary = $adversary
group by r.rule_id, r.is_positive, r.rank, r.value, r.confidence
order by r.is_positive desc, r.rank asc
