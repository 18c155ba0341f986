-- What:   Store the rules that were mined as what an adversary knows.
-- Note:   Follows write/mined_rule; write/rule_item keeps their conditions.
insert into adversary.rule (
    rule_id, dataset_id, adversary, is_positive, rank, rule, statement, value, attribute_count, person_count, value_count, support, confidence, over_release_id,
    added_at
)
select
    rule_id, $dataset_id, $adversary, is_positive, rank, rule, statement, value, attribute_count, person_count, value_count, support, confidence,
    $over_release_id, now() at time zone 'UTC'
from mined_rule
