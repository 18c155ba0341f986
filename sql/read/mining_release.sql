-- What:   The releases of a dataset, with the truth about their persons where it was loaded.
-- Note:   Persons are followed where the dataset has ids and the release a record for each person.
select
    r.release_id,
    r.release,
    r.load_id,
    r.unit = 'person' and exists (select 1 from published.dataset_column as c where c.dataset_id = r.dataset_id and c.role = 'id') as is_followed
from published.release as r
where r.dataset_id = $dataset_id and r.state <> 'removed'
order by r.release_id
