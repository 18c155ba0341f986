-- What:   Rows of published tables, statements and names whose dataset does not exist.
-- Note:   Removing a dataset removes all of it.
with
    mentioned as (
        select 'dataset_column' as table_name, dataset_id from published.dataset_column
        union
        select 'domain_value' as table_name, dataset_id from published.domain_value
        union
        select 'value_part' as table_name, dataset_id from published.value_part
        union
        select 'qi' as table_name, dataset_id from published.qi
        union
        select 'person' as table_name, dataset_id from published.person
        union
        select 'population' as table_name, dataset_id from published.population
        union
        select 'hierarchy' as table_name, dataset_id from published.hierarchy
        union
        select 'hierarchy_node' as table_name, dataset_id from published.hierarchy_node
        union
        select 'statement' as table_name, dataset_id from adversary.statement
        union
        select 'named_person' as table_name, dataset_id from adversary.named_person
        union
        select 'release' as table_name, dataset_id from published.release
    )

select m.table_name, m.dataset_id
from mentioned as m
left join published.dataset as d on m.dataset_id = d.dataset_id
where d.dataset_id is null
