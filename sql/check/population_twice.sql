-- What:   Persons who stand more than once in a population.
-- Note:   A person has one combination of exact quasi-identifiers.
select person_id, count(*) as row_count
from published.population
group by person_id
having count(*) > 1
