-- What:   Named persons of an audit, or quasi-identifiers that cover them, who do not exist, are kept twice, or that no record in scope has.
-- Note:   They say which records a named person may be.
with
    shown as (
        select distinct audit_id, qi_id
        from result.subject_person
    )

select q.audit_id, q.person_id, q.qi_id, count(*) as row_count
from result.named_qi as q
inner join result.audit as a on q.audit_id = a.audit_id
left join published.person as n on q.person_id = n.person_id and a.dataset_id = n.dataset_id
left join shown as s on q.audit_id = s.audit_id and q.qi_id = s.qi_id
group by q.audit_id, q.person_id, q.qi_id
having count(*) > 1 or bool_or(n.person_id is null) or bool_or(s.qi_id is null)
