-- What:   Ranks of mined rules that an adversary has twice for a dataset, and numbers that a statement and a rule share.
-- Note:   Statements and rules are numbered together.
select adversary, is_positive, rank as number
from adversary.rule
group by dataset_id, adversary, is_positive, rank
having count(*) > 1
union all
select r.adversary, r.is_positive, r.rule_id as number
from adversary.rule as r
inner join adversary.statement as s on r.rule_id = s.statement_id
