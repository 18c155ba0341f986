-- What:   The datasets, with what each column is for and how much is known of each.
-- Grain:  dataset
-- Source: DESIGN 3
-- Note:   For people; the tables behind it are published.dataset and published.dataset_column.
create view report.dataset as
with
    role as (
        select
            dataset_id,
            list(column_name order by position) filter (where role = 'qi') as quasi_identifiers,
            list(column_name order by position) filter (where role = 'sensitive') as sensitive,
            any_value(column_name) filter (where role = 'id') as id
        from published.dataset_column
        group by dataset_id
    ),

    release as (
        select dataset_id, count(*) as release_count
        from published.release
        where state <> 'removed'
        group by dataset_id
    ),

    population as (
        select dataset_id, count(*) as population_count
        from published.population
        group by dataset_id
    )

select
    d.dataset,            -- name
    r.quasi_identifiers,  -- columns that others may know of a person
    r.sensitive,          -- columns that nobody should learn
    r.id,                 -- column by which persons are followed from release to release, or null
    d.unit,               -- person, or record where each row is a person of its own
    coalesce(l.release_count, 0) as release_count,       -- releases that were not removed
    coalesce(p.population_count, 0) as population_count, -- persons known beside the releases
    d.population_source,  -- population, microdata or null
    d.created_at,         -- when it was declared
    d.link,               -- qi where records without an id are linked by unique quasi-identifiers, or null
    d.values_may_change   -- whether a changed sensitive value makes a new person
from published.dataset as d
inner join role as r on d.dataset_id = r.dataset_id
left join release as l on d.dataset_id = l.dataset_id
left join population as p on d.dataset_id = p.dataset_id;
