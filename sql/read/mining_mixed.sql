-- What:   A true value of which one part stands for several finer ones, where several columns are sensitive.
-- Note:   Follows write/mining_population or write/mining_release. At most one is told.
select p.column_name, p.part
from published.value_part as p
inner join published.hierarchy_node as n on p.dataset_id = n.dataset_id and p.column_name = n.column_name and p.part = n.node
where p.dataset_id = $dataset_id and p.value in (select t.value from mining_truth as t)
group by p.column_name, p.part
having count(distinct n.leaf) > 1
order by p.column_name, p.part
limit 1
