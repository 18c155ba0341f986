-- What:   Statements of an audit that are kept twice, have no bound or no term, or that the adversary none is said to know.
-- Note:   What an audit assumed is kept with it.
with
    term as (
        select distinct audit_id, statement_id
        from result.statement_term
    )

select s.audit_id, s.statement_id, count(*) as row_count
from result.audit_statement as s
inner join result.audit as a on s.audit_id = a.audit_id
left join term as t on s.audit_id = t.audit_id and s.statement_id = t.statement_id
group by s.audit_id, s.statement_id
having
    count(*) > 1
    or bool_or(t.statement_id is null)
    or bool_or(a.adversary = 'none')
    or bool_or(s.lower is null and s.upper is null)
    or bool_or(not coalesce(isfinite(s.lower), true) or not coalesce(isfinite(s.upper), true) or coalesce(s.lower > s.upper, false))
