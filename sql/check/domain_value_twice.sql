-- What:   Possible values that are listed twice from one source.
-- Note:   A list of values is a set.
select dataset_id, value, source
from published.domain_value
group by dataset_id, value, source
having count(*) > 1
