-- What:   Which of some names nobody in a dataset has.
-- Note:   For a remark when a statement is entered.
with
    named as (
        select unnest($persons) as person
    )

select n.person
from named as n
where n.person not in (select p.person from published.person as p where p.dataset_id = $dataset_id)
