-- What:   Names that more than one bucket of a release has.
-- Note:   Figures are named by release, bucket and value.
select release_id, bucket, count(*) as bucket_count
from published.bucket
group by release_id, bucket
having count(*) > 1
