-- What:   Named persons whom no record can be.
-- Note:   Follows write/named_fit. Nobody where no record is known at all.
select distinct v.person_id, v.person
from named_value as v
where v.person_id not in (select f.person_id from named_fit as f) and exists (select 1 from named_tuple)
order by v.person
