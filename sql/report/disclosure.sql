-- What:   For each person the most likely value, how likely it is, and how much remains open.
-- Grain:  audit_id, person
-- Source: MATHS 7 (measuring)
-- Note:   max_probability 1 is a disclosure; whether the guess is true is told only by original.guess.
create view report.disclosure as
select
    s.audit_id,        -- the audit
    n.person,          -- the person's id or name, or release#row
    d.likely_value,    -- the most probable value; a tie goes to the first in order
    d.max_probability, -- how probable it is
    d.possible_count,  -- values not proven impossible
    d.entropy_bits     -- what remains unknown of the person
from model.audited_person as s
inner join report.subject_disclosure as d on s.audit_id = d.audit_id and s.subject_id = d.subject_id
inner join published.person as n on s.person_id = n.person_id;
