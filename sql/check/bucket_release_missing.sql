-- What:   Buckets whose release does not exist.
-- Note:   Buckets go with their release.
select b.bucket_id, b.bucket, b.release_id
from published.bucket as b
left join published.release as r on b.release_id = r.release_id
where r.release_id is null
