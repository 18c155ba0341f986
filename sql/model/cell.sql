-- What:   The unknowns: pairs of a subject and a value that it may have, for subjects that need the solver.
-- Grain:  audit_id, subject_id, place, value
-- Source: MATHS 1: a pair (u, s) with s in MCS(u) is a cell; Privacy-MaxEnt, section 4: P(s | q, b)
-- Note:   An impossible pair is an absent row.
create view model.cell as
select
    c.audit_id,         -- the audit
    c.subject_id,       -- the subject
    '' as place,        -- no named person is concerned
    c.value,            -- a value that it may have
    cast(1.0 as double) as prior_weight -- no value is favoured beforehand
from model.candidate as c
inner join result.subject as s on c.audit_id = s.audit_id and c.subject_id = s.subject_id
where not s.is_closed;
