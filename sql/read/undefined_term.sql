-- What:   Statements of several terms of which one is a share among persons of whom there are none.
-- Note:   Such a share has no value, and the statement no meaning in this audit.
select t.statement_id, min(t.term) as term
from result.statement_term as t
where
    t.audit_id = $audit_id and not t.is_count and t.person_count = 0
    and exists (
        select 1
        from result.statement_term as o
        where o.audit_id = t.audit_id and o.statement_id = t.statement_id and o.term <> t.term
    )
group by t.statement_id
order by t.statement_id
