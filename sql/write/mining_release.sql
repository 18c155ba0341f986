-- What:   How many persons of a release have each combination of quasi-identifiers and sensitive value in truth.
-- Note:   The quasi-identifiers are those of the population where the person is in it, as audits take them.
create or replace temp table mining_truth as
select coalesce(p.qi_id, m.qi_id) as qi_id, t.value, count(*) as person_count
from published.member as m
left join published.population as p on p.dataset_id = $dataset_id and m.person_id = p.person_id
inner join original.main.microdata as t on t.load_id = $load_id and m.person_id = t.person_id
where m.release_id = $release_id
group by all
