-- What:   The releases of a dataset that an audit may look at, in the order of their publication.
-- Note:   Removed ones are not among them.
select release_id, release, form, state, unit, digest
from published.release
where dataset_id = $dataset_id and state <> 'removed'
order by published_on, release_id
