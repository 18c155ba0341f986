-- What:   Whom the solver looks for in the records of a pool: each named person, and all others together.
-- Grain:  audit_id, subject_id
-- Source: Privacy-MaxEnt, section 6; MATHS 1: whoever nothing tells apart is one subject
-- Note:   The others are exchangeable: no statement can speak of one of them but by the record where he stands. Numbered behind the subjects of the records.
create view model.pool_subject as
with
    last_subject as (
        select audit_id, max(subject_id) as subject_id
        from result.subject_person
        group by audit_id
    ),

    named_count as (
        select audit_id, pool_id, count(*) as person_count
        from model.named_pool
        group by audit_id, pool_id
    ),

    record_count as (
        select audit_id, pool_id, sum(person_count) as person_count
        from model.place
        group by audit_id, pool_id
    ),

    member as (
        select audit_id, pool_id, person_id, 'named' as kind, 1 as person_count
        from model.named_pool
        union all
        select r.audit_id, r.pool_id, null as person_id, 'other' as kind, cast(r.person_count as bigint) - n.person_count as person_count
        from record_count as r
        inner join named_count as n on r.audit_id = n.audit_id and r.pool_id = n.pool_id
        where r.person_count > n.person_count
    )

select
    m.audit_id, -- the audit
    l.subject_id + row_number() over (partition by m.audit_id order by m.kind asc, m.pool_id asc, m.person_id asc) as subject_id, -- the subject
    m.pool_id,  -- the pool
    m.kind,     -- named or other
    m.person_id, -- the named person, or null
    m.person_count -- persons in it
from member as m
inner join last_subject as l on m.audit_id = l.audit_id;
