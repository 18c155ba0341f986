-- What:   Columns whose role is none of id, qi and sensitive.
-- Note:   What a column is for decides who sees it.
select dataset_id, column_name, role
from published.dataset_column
where role not in ('id', 'qi', 'sensitive')
