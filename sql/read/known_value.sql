-- What:   The sensitive values that a dataset has shown: in a release that was not removed, or in its domain.
-- Note:   Values that only a removed release had are not among them.
select distinct v.value
from published.bucket_value as v
inner join published.release as r on v.release_id = r.release_id
where r.dataset_id = $dataset_id and r.state <> 'removed'
union
select value
from published.domain_value
where dataset_id = $dataset_id
