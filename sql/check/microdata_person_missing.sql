-- What:   Persons of the microdata who are not in the population of the dataset.
-- Note:   The persons of the microdata are the population.
select m.load_id, m.person_id
from original.main.microdata as m
inner join published.dataset as d on m.load_id = d.load_id
left join published.population as p on m.person_id = p.person_id and d.dataset_id = p.dataset_id
where p.person_id is null
