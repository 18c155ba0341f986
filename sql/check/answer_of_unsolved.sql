-- What:   Audits that were not solved and have something that looks like an answer.
-- Note:   Contradictory publications have no probabilities.
with
    answered as (
        select 'posterior' as table_name, audit_id from result.posterior
        union
        select 'bound' as table_name, audit_id from result.bound
        union
        select 'multiplier' as table_name, audit_id from result.multiplier
    )

select n.table_name, a.audit_id, a.status
from answered as n
inner join result.audit as a on n.audit_id = a.audit_id
where a.status in ('infeasible', 'failed')
