-- What:   Hierarchies of columns that are no quasi-identifier and not sensitive, or declared more than once.
-- Note:   A column has one tree.
select h.dataset_id, h.column_name, count(*) as hierarchy_count
from published.hierarchy as h
left join published.dataset_column as c on h.dataset_id = c.dataset_id and h.column_name = c.column_name and c.role in ('qi', 'sensitive')
group by h.dataset_id, h.column_name
having count(*) > 1 or count(c.column_name) = 0
