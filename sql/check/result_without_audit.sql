-- What:   Rows of results whose audit does not exist.
-- Note:   Removing an audit removes all that it found.
with
    mentioned as (
        select 'audit_release' as table_name, audit_id from result.audit_release
        union
        select 'audit_input' as table_name, audit_id from result.audit_input
        union
        select 'subject' as table_name, audit_id from result.subject
        union
        select 'subject_bucket' as table_name, audit_id from result.subject_bucket
        union
        select 'subject_person' as table_name, audit_id from result.subject_person
        union
        select 'posterior' as table_name, audit_id from result.posterior
        union
        select 'bound' as table_name, audit_id from result.bound
        union
        select 'multiplier' as table_name, audit_id from result.multiplier
        union
        select 'conflict' as table_name, audit_id from result.conflict
        union
        select 'finding' as table_name, audit_id from result.finding
        union
        select 'value_leaf' as table_name, audit_id from result.value_leaf
        union
        select 'linked_person' as table_name, audit_id from result.linked_person
        union
        select 'audit_statement' as table_name, audit_id from result.audit_statement
        union
        select 'statement_term' as table_name, audit_id from result.statement_term
        union
        select 'statement_value' as table_name, audit_id from result.statement_value
        union
        select 'statement_qi' as table_name, audit_id from result.statement_qi
        union
        select 'statement_person' as table_name, audit_id from result.statement_person
        union
        select 'named_qi' as table_name, audit_id from result.named_qi
        union
        select 'named_person' as table_name, audit_id from result.named_person
        union
        select 'pool_subject' as table_name, audit_id from result.pool_subject
        union
        select 'standing' as table_name, audit_id from result.standing
        union
        select 'metric' as table_name, audit_id from result.metric
        union
        select 'sweep' as table_name, audit_id from result.sweep
    )

select m.table_name, m.audit_id
from mentioned as m
left join result.audit as a on m.audit_id = a.audit_id
where a.audit_id is null
