-- What:   Store who stands in which bucket.
-- Note:   Quasi-identifiers may be null: null is a value like any other.
insert into published.member (release_id, bucket_id, person_id, qi_id)
select $release_id, bucket_id, person_id, qi_id
from incoming_record
