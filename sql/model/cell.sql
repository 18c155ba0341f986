-- What:   The unknowns: pairs of a subject and a value that it may have, for subjects that need the solver; for named persons and those beside them with a place.
-- Grain:  audit_id, subject_id, place, value
-- Source: MATHS 1: a pair (u, s) with s in MCS(u) is a cell; Privacy-MaxEnt, section 4: P(s | q, b), and section 6: of an individual whose bucket is uncertain
-- Note:   An impossible pair is an absent row.
create view model.cell as
select
    c.audit_id,         -- the audit
    c.subject_id,       -- the subject
    '' as place,        -- empty, or where a named person, or somebody beside him, may stand
    c.value,            -- a value that it may have
    cast(1.0 as double) as prior_weight, -- no value is favoured beforehand
    c.subject_id as record_subject_id    -- whose records are meant: the subject itself, or those at the place
from model.candidate as c
inner join result.subject as s on c.audit_id = s.audit_id and c.subject_id = s.subject_id
where not s.is_closed and s.kind = 'person'
union all
select
    t.audit_id,
    t.subject_id,
    t.place,
    c.value,
    cast(1.0 as double) as prior_weight,
    t.record_subject_id
from result.standing as t
inner join model.candidate as c on t.audit_id = c.audit_id and t.record_subject_id = c.subject_id;
