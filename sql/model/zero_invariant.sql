-- What:   The values of the domain that a subject cannot have.
-- Grain:  audit_id, subject_id, value
-- Source: Privacy-MaxEnt, section 4.1 (Zero-invariant); Re-publishing, Eq. 3 (Zero constraints)
-- Note:   Told for people who ask. The solver never sees these pairs: they are absent from model.cell.
create view model.zero_invariant as
select
    s.audit_id,   -- the audit
    s.subject_id, -- the subject
    d.value       -- a value that it cannot have
from result.subject as s
inner join model.domain as d on s.audit_id = d.audit_id
left join model.candidate as c on s.audit_id = c.audit_id and s.subject_id = c.subject_id and d.value = c.value
where c.value is null;
