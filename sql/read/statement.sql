-- What:   The statements of a dataset, an adversary, or everybody.
-- Note:   null means any.
select s.statement_id, d.dataset, s.adversary, s.statement, s.added_at
from adversary.statement as s
inner join published.dataset as d on s.dataset_id = d.dataset_id
where
    ($dataset_id is null or s.dataset_id = $dataset_id)
    and ($adversary is null or s.adversary = $adversary)
order by s.statement_id
