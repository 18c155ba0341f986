-- What:   Columns that a dataset declares more than once.
-- Note:   A column has one role; capitals do not make a difference.
select dataset_id, lower(column_name) as column_name, count(*) as column_count
from published.dataset_column
group by dataset_id, lower(column_name)
having count(*) > 1
