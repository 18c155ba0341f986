-- What:   Members whose bucket is not one of their release.
-- Note:   Who stands where is told within one release.
select m.release_id, m.bucket_id, m.person_id
from published.member as m
left join published.bucket as b on m.bucket_id = b.bucket_id and m.release_id = b.release_id
where b.bucket_id is null
