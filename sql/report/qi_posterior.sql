-- What:   How probable each sensitive value is for a person of whom only the quasi-identifiers are known.
-- Grain:  audit_id, qi, value
-- Source: Privacy-MaxEnt, section 3: P(s | q), the sum over b of P(s | q, b) P(b | q)
-- Note:   qi has one field per quasi-identifier, each with its own type: qi.age < 30.
create view report.qi_posterior as
with
    group_size as (
        select audit_id, subject_id, qi_id, count(*) as person_count
        from result.subject_person
        group by audit_id, subject_id, qi_id
    ),

    total as (
        select audit_id, qi_id, sum(person_count) as person_count
        from group_size
        group by audit_id, qi_id
    ),

    expected as (
        select
            g.audit_id,
            g.qi_id,
            p.value,
            sum(g.person_count * p.probability) as person_count
        from group_size as g
        inner join result.posterior as p on g.audit_id = p.audit_id and g.subject_id = p.subject_id
        group by g.audit_id, g.qi_id, p.value
    )

select
    e.audit_id, -- the audit
    q.qi,       -- the quasi-identifiers as fields
    e.value,    -- a sensitive value
    e.person_count / t.person_count as probability -- how probable it is that such a person has it
from expected as e
inner join total as t on e.audit_id = t.audit_id and e.qi_id = t.qi_id
inner join published.qi as q on e.qi_id = q.qi_id;
