-- What:   Persons without an id whose release does not exist, or is one of another dataset.
-- Note:   They live and go with their release.
select p.person_id, p.person, p.release_id
from published.person as p
left join published.release as r on p.release_id = r.release_id and p.dataset_id = r.dataset_id
where p.release_id is not null and r.release_id is null
