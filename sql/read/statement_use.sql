-- What:   The audits that assumed a statement, with the persons of whom each of its terms spoke.
-- Note:   Latest first.
select
    a.audit_id,
    a.status,
    list(t.person_count order by t.term) as person_counts
from result.audit_statement as s
inner join result.audit as a on s.audit_id = a.audit_id
inner join result.statement_term as t on s.audit_id = t.audit_id and s.statement_id = t.statement_id
where s.statement_id = $statement_id
group by a.audit_id, a.status
order by a.audit_id desc
