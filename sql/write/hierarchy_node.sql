-- What:   Store the tree of a hierarchy.
-- Note:   Follows write/incoming_node.
insert into published.hierarchy_node (dataset_id, column_name, leaf, level, node)
select $dataset_id, $column_name, leaf, level, node
from incoming_node
