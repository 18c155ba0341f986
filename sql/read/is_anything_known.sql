-- What:   Whether an adversary knows anything about a dataset beside what was published.
-- Note:   Statements, or mined rules.
select
    exists (select 1 from adversary.statement as s where s.dataset_id = $dataset_id and s.adversary = $adversary)
    or exists (select 1 from adversary.rule as r where r.dataset_id = $dataset_id and r.adversary = $adversary) as is_known
