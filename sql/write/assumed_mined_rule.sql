-- What:   The strongest of the rules that were just mined, for an audit that assumes them without anybody keeping them.
-- Note:   Follows write/mined_rule.
create or replace temp table assumed_rule as
select rule_id, is_positive, rank, statement, value, person_count, value_count
from mined_rule
where rank <= case when is_positive then $positive else $negative end
