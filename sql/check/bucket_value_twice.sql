-- What:   Values that a bucket counts in two rows.
-- Note:   One figure per bucket and value.
select bucket_id, value, count(*) as row_count
from published.bucket_value
group by bucket_id, value
having count(*) > 1
