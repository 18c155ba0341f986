-- What:   Where the subjects of a pool may stand: a named person at the records that cover him, the others anywhere in the pool.
-- Grain:  audit_id, subject_id, record_subject_id
-- Source: Privacy-MaxEnt, section 6: the pseudonyms that an individual may have
-- Note:   As the model has it; result.standing keeps it with the audit.
create view model.standing as
with
    record_qi as (
        select audit_id, subject_id, min(qi_id) as qi_id
        from result.subject_person
        group by audit_id, subject_id
    )

select
    u.audit_id,   -- the audit
    u.subject_id, -- a subject of the pool
    p.place,      -- the place in words
    p.record_subject_id -- the records there
from model.pool_subject as u
inner join model.place as p on u.audit_id = p.audit_id and u.pool_id = p.pool_id
where u.kind = 'other'
union all
select
    u.audit_id,
    u.subject_id,
    p.place,
    p.record_subject_id
from model.pool_subject as u
inner join model.place as p on u.audit_id = p.audit_id and u.pool_id = p.pool_id
inner join record_qi as r on p.audit_id = r.audit_id and p.record_subject_id = r.subject_id
inner join result.named_qi as q on u.audit_id = q.audit_id and u.person_id = q.person_id and r.qi_id = q.qi_id
where u.kind = 'named';
