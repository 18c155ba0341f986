-- What:   Names that two persons of a dataset have, among those with ids or within one release.
-- Note:   A name stands for one person wherever it is asked for.
select dataset_id, release_id, person, count(*) as person_count
from published.person
group by dataset_id, release_id, person
having count(*) > 1
