-- What:   A few of the strongest mined rules of an adversary, of each dataset and kind.
-- Note:   All of them are in adversary.rule.
select r.rule_id, d.dataset, r.rule, r.confidence, r.support
from adversary.rule as r
inner join published.dataset as d on r.dataset_id = d.dataset_id
where r.adversary = $adversary and r.rank <= 5
order by d.dataset asc, r.is_positive desc, r.rank asc
