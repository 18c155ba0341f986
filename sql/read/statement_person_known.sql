-- What:   Which of some names nobody in a dataset has.
-- Note:   For a remark when a statement is entered.
with
    named as (
        select unnest($persons) as person
    )

select n.person
from named as n
where n.person not in (
    select p.person
    from published.person as p
    where
        p.dataset_id = $dataset_id
        and (p.person_id not in (select q.person_id from result.named_qi as q) or p.person_id in (select a.person_id from adversary.named_person as a))
)
