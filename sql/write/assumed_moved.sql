-- What:   The quasi-identifiers of persons of a release who have others in an audit than when rules were mined from them.
-- Note:   Follows write/statement_scope. None where the rules speak of the population: its quasi-identifiers are those of every audit.
create or replace temp table assumed_moved as
select distinct coalesce(p.qi_id, m.qi_id) as mined_qi_id, s.qi_id
from published.member as m
inner join statement_scope as s on m.person_id = s.person_id
left join published.population as p on p.dataset_id = $dataset_id and m.person_id = p.person_id
where m.release_id = $over_release_id and s.qi_id <> coalesce(p.qi_id, m.qi_id)
