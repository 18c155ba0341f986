-- What:   How probable each sensitive value is for each person.
-- Grain:  audit_id, person, value
-- Source: Privacy-MaxEnt, section 4: P(s | q, b); Re-publishing, section 3: P(s | i)
-- Note:   lower and upper are what is certain of the person alone (MATHS 5); null where the audit was not asked for them. A named person has a row beside the records, summed over where he may stand.
create view report.posterior as
with
    per_subject as (
        select
            p.audit_id,
            p.subject_id,
            p.value,
            sum(p.probability) as probability
        from result.posterior as p
        group by p.audit_id, p.subject_id, p.value
    )

select
    s.audit_id,    -- the audit
    n.person,      -- the person's id or name, or release#row
    p.value,       -- a sensitive value
    p.probability, -- how probable it is that the person has it
    b.lower,       -- no smaller in anything that agrees with the publications
    b.upper        -- no greater in anything that agrees with the publications
from model.audited_person as s
inner join per_subject as p on s.audit_id = p.audit_id and s.subject_id = p.subject_id
inner join published.person as n on s.person_id = n.person_id
left join result.bound as b on p.audit_id = b.audit_id and p.subject_id = b.subject_id and p.value = b.value;
