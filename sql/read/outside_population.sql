-- What:   Whether somebody in an audit's scope is not in the population.
-- Note:   Follows write/statement_scope.
select count(*) > 0 as is_somebody
from statement_scope as s
where s.person_id not in (select p.person_id from published.population as p where p.dataset_id = $dataset_id)
