-- What:   Which of the named persons an audit's scope lacks.
-- Note:   Follows write/statement_scope and write/named_qi.
with
    named as (
        select unnest($persons) as person
    ),

    present as (
        select p.person
        from statement_scope as s
        inner join published.person as p on s.person_id = p.person_id
        where list_contains($persons, p.person)
        union all
        select p.person
        from result.named_qi as q
        inner join published.person as p on q.person_id = p.person_id
        where q.audit_id = $audit_id and list_contains($persons, p.person)
    )

select n.person
from named as n
where n.person not in (select t.person from present as t)
order by n.person
