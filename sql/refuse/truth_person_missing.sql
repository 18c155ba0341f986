-- What:   Persons of a release who are not in its microdata.
-- Says:   {count} persons have no row in the microdata: id {places}. Give the microdata from which this release was made.
select i.person as place
from incoming as i
where cast(i.person as varchar) not in (select cast(t.person as varchar) from incoming_truth as t where t.person is not null)
order by i.row
