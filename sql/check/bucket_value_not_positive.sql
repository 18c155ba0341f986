-- What:   Published figures below 1.
-- Note:   A value that does not occur has no row.
select bucket_id, value, value_count
from published.bucket_value
where value_count < 1
