-- What:   Persons without an id who stand in another release than their own.
-- Note:   Without ids nobody is followed from release to release.
select m.release_id, m.person_id, n.person
from published.member as m
inner join published.person as n on m.person_id = n.person_id
where n.release_id <> m.release_id
