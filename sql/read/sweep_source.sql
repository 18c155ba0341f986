-- What:   Where rules for a sweep come from: whether the adversary keeps some, and whether the truth is in the store.
-- Note:   The truth itself is in a file of its own.
with
    load as (
        select load_id
        from published.dataset
        where dataset_id = $dataset_id and load_id is not null
        union all
        select load_id
        from published.release
        where dataset_id = $dataset_id and load_id is not null and state <> 'removed'
    ),

    rule as (
        select rule_id
        from adversary.rule
        where dataset_id = $dataset_id and adversary = $adversary
    )

select
    (select count(*) from rule) > 0 as keeps_rules,
    (select count(*) from load) > 0 as has_truth
