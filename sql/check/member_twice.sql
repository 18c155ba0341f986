-- What:   Persons who stand more than once in a release.
-- Note:   A person has one record in a release.
select release_id, person_id, count(*) as record_count
from published.member
group by release_id, person_id
having count(*) > 1
