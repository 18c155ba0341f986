-- What:   Store how often each value was published for each bucket.
-- Note:   The counts are all that an adversary sees of the values.
insert into published.bucket_value (release_id, bucket_id, value, value_count)
select $release_id, b.bucket_id, v.value, v.value_count
from incoming_value as v
inner join incoming_bucket as b on v.bucket = b.incoming_bucket
