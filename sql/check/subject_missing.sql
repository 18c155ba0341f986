-- What:   Rows of results that speak of a subject which the audit does not have.
-- Note:   Only of audits that exist: the others are told by result_without_audit.
with
    mentioned as (
        select 'subject_bucket' as table_name, audit_id, subject_id from result.subject_bucket
        union
        select 'subject_person' as table_name, audit_id, subject_id from result.subject_person
        union
        select 'posterior' as table_name, audit_id, subject_id from result.posterior
        union
        select 'bound' as table_name, audit_id, subject_id from result.bound
    )

select m.table_name, m.audit_id, m.subject_id
from mentioned as m
inner join result.audit as a on m.audit_id = a.audit_id
left join result.subject as s on m.audit_id = s.audit_id and m.subject_id = s.subject_id
left join result.pool_subject as u on m.audit_id = u.audit_id and m.subject_id = u.subject_id and m.table_name in ('posterior', 'bound')
where s.subject_id is null and u.subject_id is null
