-- What:   Values of releases that a declared domain does not list.
-- Note:   Only a hierarchy allows them.
select distinct v.value
from published.bucket_value as v
inner join published.release as r on v.release_id = r.release_id
where
    r.dataset_id = $dataset_id
    and exists (select 1 from published.domain_value as d where d.dataset_id = $dataset_id and d.source = 'declared')
    and v.value not in (select d.value from published.domain_value as d where d.dataset_id = $dataset_id)
order by v.value
