-- What:   Persons who have two truths in one load.
-- Note:   A person has one true value.
select load_id, person_id, count(*) as row_count
from original.main.microdata
group by load_id, person_id
having count(*) > 1
