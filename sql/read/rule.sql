-- What:   The mined rules of an adversary about a dataset, positive ones first, strongest first.
-- Note:   $limit null: all of them.
select rule_id, is_positive, rank, rule, confidence, support, person_count, value_count, statement
from adversary.rule
where dataset_id = $dataset_id and adversary = $adversary and rank <= coalesce($limit, rank)
order by is_positive desc, rank asc
