-- What:   How many persons of a release have no truth in a load.
-- Note:   Rules about a release speak of all its persons.
select count(*) as person_count
from published.member as m
left join original.main.microdata as t on t.load_id = $load_id and m.person_id = t.person_id
where m.release_id = $release_id and t.person_id is null
