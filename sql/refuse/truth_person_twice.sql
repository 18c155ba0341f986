-- What:   Persons who have more than one row in the microdata of a release.
-- Says:   {count} persons have more than one row in the microdata: id {places}. A person has one true value at a time.
select person as place
from incoming_truth
where person is not null
group by person
having count(*) > 1
order by min(row)
