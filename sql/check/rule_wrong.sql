-- What:   Mined rules whose adversary does not exist or must know nothing, whose figures do not fit together, or that have another number of items than they say.
-- Note:   A rule's confidence is its support among the persons of its condition.
with
    item as (
        select rule_id, count(*) as item_count, count(distinct column_name) as column_count
        from adversary.rule_item
        group by rule_id
    )

select r.rule_id, r.adversary, r.rule
from adversary.rule as r
left join adversary.adversary as a on r.adversary = a.adversary
left join item as i on r.rule_id = i.rule_id
where
    a.adversary is null
    or r.adversary = 'none'
    or r.rank < 1
    or r.value_count < 0
    or r.value_count > r.person_count
    or r.support <> case when r.is_positive then r.value_count else r.person_count - r.value_count end
    or abs(r.confidence - r.support / r.person_count) > 1e-12
    or i.item_count is distinct from r.attribute_count
    or i.column_count is distinct from r.attribute_count
