-- What:   Rows of a population whose person or quasi-identifiers do not exist in the dataset.
-- Note:   Who is in the data is told by dataset.
select p.dataset_id, p.person_id, p.qi_id
from published.population as p
left join published.person as n on p.person_id = n.person_id and p.dataset_id = n.dataset_id
left join published.qi as q on p.qi_id = q.qi_id and p.dataset_id = q.dataset_id
where n.person_id is null or q.qi_id is null
