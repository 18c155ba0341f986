-- What:   The combinations of quasi-identifiers in an audit's scope, with the number of persons who have each.
-- Note:   Follows write/statement_scope. There are far fewer of them than persons.
create or replace temp table statement_tuple as
with
    tuple as (
        select qi_id, count(*) as person_count
        from statement_scope
        group by qi_id
    )

select q.qi_id, q.qi, t.person_count
from tuple as t
inner join published.qi as q on t.qi_id = q.qi_id
