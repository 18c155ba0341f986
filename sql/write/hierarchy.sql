-- What:   Declare a hierarchy whose tree is staged.
-- Note:   Its nodes follow in the same transaction.
insert into published.hierarchy (dataset_id, column_name, height, leaf_count, source, digest, added_at)
select $dataset_id, $column_name, $height, count(distinct leaf), $source, $digest, now() at time zone 'UTC'
from incoming_node
