-- What:   Names that more than one dataset has.
-- Note:   Commands find a dataset by its name.
select dataset, count(*) as dataset_count
from published.dataset
group by dataset
having count(*) > 1
