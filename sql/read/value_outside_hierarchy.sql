-- What:   Values of a sensitive column that its hierarchy does not know.
-- Note:   They stand for themselves.
select distinct p.part
from published.value_part as p
left join published.hierarchy_node as h on p.dataset_id = h.dataset_id and p.column_name = h.column_name and p.part = h.node
where p.dataset_id = $dataset_id and p.column_name = $column_name and h.node is null
order by p.part
