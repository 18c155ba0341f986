-- What:   The sensitive values that a dataset has shown so far, with their parts by column.
-- Note:   For trying a statement when it is entered, before any audit. The nodes of a hierarchy are among them.
create or replace temp table statement_part as
select value, column_name, part
from published.value_part
where dataset_id = $dataset_id
union
select h.node as value, h.column_name, h.node as part
from published.hierarchy_node as h
inner join published.dataset_column as c on h.dataset_id = c.dataset_id and h.column_name = c.column_name
where h.dataset_id = $dataset_id and c.role = 'sensitive'
