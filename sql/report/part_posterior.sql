-- What:   Where several columns are sensitive, how probable each value of a single one is for each person.
-- Grain:  audit_id, person, column_name, part
-- Source: MATHS 1: a value is a combination of all sensitive columns; this sums over the others
-- Note:   With one sensitive column it says the same as report.posterior.
create view report.part_posterior as
select
    s.audit_id,    -- the audit
    n.person,      -- the person's id or name, or release#row
    v.column_name, -- the sensitive column
    v.part,        -- a value of that column
    sum(p.probability) as probability -- how probable it is that the person has it
from model.audited_person as s
inner join result.audit as a on s.audit_id = a.audit_id
inner join result.posterior as p on s.audit_id = p.audit_id and s.subject_id = p.subject_id
inner join published.value_part as v on a.dataset_id = v.dataset_id and p.value = v.value
inner join published.person as n on s.person_id = n.person_id
group by s.audit_id, n.person, v.column_name, v.part;
