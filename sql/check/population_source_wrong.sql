-- What:   Datasets whose population does not fit what is said of where it came from.
-- Note:   A source, a digest and persons come together; only microdata have a load.
with
    counted as (
        select dataset_id, count(*) as person_count
        from published.population
        group by dataset_id
    )

select d.dataset_id, d.dataset, d.population_source
from published.dataset as d
left join counted as c on d.dataset_id = c.dataset_id
where
    d.population_source not in ('population', 'microdata')
    or (d.population_source is null) <> (c.person_count is null)
    or (d.population_source is null) <> (d.population_digest is null)
    or (coalesce(d.population_source, '') = 'microdata') <> (d.load_id is not null)
