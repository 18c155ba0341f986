-- What:   Statements of an audit that count nobody and nothing, with whether 0 is within what they say.
-- Note:   Nobody meets the condition, or nobody of them can have such a value; idle_row has those that have no cell, unless nothing went to the solver. Of mined rules only those that cannot hold are told: that a value is absent where nobody can have it is no surprise.
select
    k.constraint_key,
    coalesce(k.lower, 0) <= 0 and coalesce(k.upper, 0) >= 0 as is_vacuous
from model.knowledge as k
inner join result.audit_statement as s on k.audit_id = s.audit_id and k.statement_id = s.statement_id
where
    k.audit_id = $audit_id
    and ($is_all_closed or k.constraint_key in (select i.constraint_key from idle_row as i))
    and not (s.is_mined and s.lower = 0)
order by k.statement_id
