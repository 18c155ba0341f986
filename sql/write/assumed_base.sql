-- What:   How many of the persons of whom the rules were mined have each combination of quasi-identifiers in an audit's scope.
-- Note:   Follows write/statement_scope. Those of a release, or those of the population, or everybody.
create or replace temp table assumed_base as
select s.qi_id, count(*) as person_count
from statement_scope as s
where
    ($over_release_id is null or s.person_id in (select m.person_id from published.member as m where m.release_id = $over_release_id))
    and (not $is_over_population or s.person_id in (select p.person_id from published.population as p where p.dataset_id = $dataset_id))
group by s.qi_id
