-- What:   For each inner node of the hierarchies of a dataset the leaves below it.
-- Note:   In a statement a coarser value means all of them.
select column_name, node, list(distinct leaf order by leaf) as leaves
from published.hierarchy_node
where dataset_id = $dataset_id and level > 0 and node <> leaf
group by column_name, node
