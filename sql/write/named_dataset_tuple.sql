-- What:   The quasi-identifiers of the records of each release of a dataset, with the number of persons who have each.
-- Note:   For trying a name when it is given, before any audit. Of a population without ids those count who are more than a release's records.
create or replace temp table named_tuple as
with
    release as (
        select release_id, form = 'generalized' as is_generalized
        from published.release
        where dataset_id = $dataset_id and state <> 'removed'
    ),

    counted as (
        select r.release_id, m.qi_id, r.is_generalized, count(*) as record_count
        from release as r
        inner join published.member as m on r.release_id = m.release_id
        group by r.release_id, m.qi_id, r.is_generalized
        union all
        select r.release_id, p.qi_id, r.is_generalized, count(*) as record_count
        from release as r
        inner join published.population as p on p.dataset_id = $dataset_id
        group by r.release_id, p.qi_id, r.is_generalized
    )

select release_id, qi_id, is_generalized, max(record_count) as record_count
from counted
group by release_id, qi_id, is_generalized
