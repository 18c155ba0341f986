-- What:   Combinations of quasi-identifiers that a dataset has under two keys.
-- Note:   Persons who are alike would be told apart.
select dataset_id, tuple, count(*) as key_count
from published.qi
group by dataset_id, tuple
having count(*) > 1
