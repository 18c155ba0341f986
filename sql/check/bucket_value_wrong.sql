-- What:   Published figures whose bucket is not one of their release.
-- Note:   Figures go with their release.
select v.release_id, v.bucket_id, v.value
from published.bucket_value as v
left join published.bucket as b on v.bucket_id = b.bucket_id and v.release_id = b.release_id
where b.bucket_id is null
