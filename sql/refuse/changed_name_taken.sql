-- What:   Ids that read like the name of a person whose value has changed.
-- Says:   {count} ids are needed as names of persons whose value has changed: {places}. Choose ids without # and a number at their end.
select y.name as place
from incoming_identity as y
where
    y.name <> y.identity
    and (
        y.name in (select cast(i.person as varchar) from incoming as i)
        or y.name in (select p.person from published.person as p where p.dataset_id = $dataset_id and coalesce(p.identity, p.person) <> y.identity)
    )
order by y.name
