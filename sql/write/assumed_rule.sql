-- What:   The mined rules of an adversary that an audit assumes: all of them, or the strongest of each kind.
-- Note:   null means all.
create or replace temp table assumed_rule as
select rule_id, is_positive, rank, statement, value, person_count, value_count
from adversary.rule
where
    dataset_id = $dataset_id and adversary = $adversary
    and rank <= coalesce(case when is_positive then $positive else $negative end, rank)
