-- What:   Members of a release with microdata who have no truth there, and truths of others.
-- Note:   The truth of a release is that of its members.
select r.release, coalesce(m.person_id, t.person_id) as person_id
from published.release as r
inner join published.member as m on r.release_id = m.release_id
full join original.main.microdata as t on r.load_id = t.load_id and m.person_id = t.person_id
where
    (r.load_id is not null and t.load_id is null)
    or (r.load_id is null and t.load_id in (select o.load_id from published.release as o where o.load_id is not null))
