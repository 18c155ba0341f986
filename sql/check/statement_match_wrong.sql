-- What:   Values, quasi-identifiers or persons of a term that are kept twice, or whose term does not exist or matches in another way.
-- Note:   They say what a term counts; a second row would count twice.
with
    kept as (
        select 'value' as kind, audit_id, statement_id, term, value as what from result.statement_value
        union all
        select 'qi' as kind, audit_id, statement_id, term, cast(qi_id as varchar) as what from result.statement_qi
        union all
        select 'person' as kind, audit_id, statement_id, term, cast(person_id as varchar) as what from result.statement_person
    ),

    term as (
        select distinct audit_id, statement_id, term, matched_by
        from result.statement_term
    )

select k.audit_id, k.statement_id, k.term, k.kind, k.what
from kept as k
left join term as t
    on k.audit_id = t.audit_id and k.statement_id = t.statement_id and k.term = t.term and k.kind in ('value', t.matched_by)
group by k.audit_id, k.statement_id, k.term, k.kind, k.what
having count(*) > 1 or bool_or(t.audit_id is null)
