-- What:   True values that are not among the values known to be possible.
-- Note:   Which values there are is published with the microdata; who has them is not.
select m.load_id, count(*) as person_count
from original.main.microdata as m
inner join published.dataset as d on m.load_id = d.load_id
left join published.domain_value as v on d.dataset_id = v.dataset_id and m.value = v.value
where v.value is null
group by m.load_id
