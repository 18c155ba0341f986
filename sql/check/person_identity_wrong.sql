-- What:   Persons who are called otherwise than their id, a # and a number.
-- Note:   A changed value makes a new person only in a dataset whose values may change.
select p.dataset_id, p.person, p.identity
from published.person as p
inner join published.dataset as d on p.dataset_id = d.dataset_id
where
    p.identity is not null
    and not (
        coalesce(d.values_may_change, false)
        and starts_with(p.person, p.identity || '#')
        and coalesce(try_cast(substr(p.person, length(p.identity) + 2) as integer), 0) > 1
    )
