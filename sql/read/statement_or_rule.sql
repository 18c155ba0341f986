-- What:   A statement, or a mined rule, by its number.
-- Note:   They are numbered together.
select s.statement_id, d.dataset, s.adversary, s.statement, s.added_at
from adversary.statement as s
inner join published.dataset as d on s.dataset_id = d.dataset_id
where s.statement_id = $statement_id
union all
select r.rule_id, d.dataset, r.adversary, r.statement, r.added_at
from adversary.rule as r
inner join published.dataset as d on r.dataset_id = d.dataset_id
where r.rule_id = $statement_id
