-- What:   Datasets that link records in a way that is not known, or although persons have ids.
-- Note:   Where there is an id, it decides.
select d.dataset, d.link
from published.dataset as d
left join published.dataset_column as c on d.dataset_id = c.dataset_id and c.role = 'id'
where d.link is not null and (d.link <> 'qi' or c.column_name is not null)
