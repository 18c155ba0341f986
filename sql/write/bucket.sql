-- What:   Store the buckets of a release.
-- Note:   Their keys were given by incoming_bucket.
insert into published.bucket (release_id, bucket_id, bucket, member_count)
select $release_id, bucket_id, bucket, member_count
from incoming_bucket
