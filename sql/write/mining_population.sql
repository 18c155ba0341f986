-- What:   How many persons of a population have each combination of quasi-identifiers and sensitive value in truth.
-- Note:   The only place where rules are mined from; it leaves the file of the truth as rules that somebody asked for.
create or replace temp table mining_truth as
select p.qi_id, t.value, count(*) as person_count
from published.population as p
inner join original.main.microdata as t on t.load_id = $load_id and p.person_id = t.person_id
where p.dataset_id = $dataset_id
group by p.qi_id, t.value
