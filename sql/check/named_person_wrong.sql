-- What:   Named persons who do not exist in their dataset, are named twice, have ids, or are described by something that is no quasi-identifier.
-- Note:   A name belongs to one dataset whose persons have no ids.
with
    described as (
        select n.dataset_id, n.person_id, g.key as column_name
        from adversary.named_person as n, json_each(case when json_valid(n.qi) then n.qi else '{}' end) as g
    ),

    counted as (
        select d.dataset_id, d.person_id, count(*) as column_count, count(c.column_name) as known_count
        from described as d
        left join published.dataset_column as c on d.dataset_id = c.dataset_id and d.column_name = c.column_name and c.role = 'qi'
        group by d.dataset_id, d.person_id
    )

select n.dataset_id, n.person
from adversary.named_person as n
left join published.person as p on n.person_id = p.person_id and n.dataset_id = p.dataset_id and n.person = p.person and p.release_id is null
left join counted as k on n.dataset_id = k.dataset_id and n.person_id = k.person_id
where
    p.person_id is null
    or k.column_count is null
    or k.known_count <> k.column_count
    or n.dataset_id in (select c.dataset_id from published.dataset_column as c where c.role = 'id')
    or (select count(*) from adversary.named_person as o where o.dataset_id = n.dataset_id and o.person = n.person) > 1
