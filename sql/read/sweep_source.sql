-- What:   Where rules for a sweep come from: whether the adversary keeps some, and whether the truth is in the store.
-- Note:   The truth itself is in a file of its own.
select
    exists (select 1 from adversary.rule as r where r.dataset_id = $dataset_id and r.adversary = $adversary) as keeps_rules,
    exists (select 1 from published.dataset as d where d.dataset_id = $dataset_id and d.load_id is not null)
    or exists (select 1 from published.release as e where e.dataset_id = $dataset_id and e.load_id is not null and e.state <> 'removed') as has_truth
