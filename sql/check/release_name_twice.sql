-- What:   Names that more than one release of a dataset has.
-- Note:   Removed releases do not count: their names may be given again.
select dataset_id, release, count(*) as release_count
from published.release
where state <> 'removed'
group by dataset_id, release
having count(*) > 1
