-- What:   Members whose person or quasi-identifiers do not exist in the dataset of the release.
-- Note:   Persons and quasi-identifiers belong to one dataset.
select m.release_id, m.person_id, m.qi_id
from published.member as m
inner join published.release as r on m.release_id = r.release_id
left join published.person as n on m.person_id = n.person_id and r.dataset_id = n.dataset_id
left join published.qi as q on m.qi_id = q.qi_id and r.dataset_id = q.dataset_id
where n.person_id is null or q.qi_id is null
