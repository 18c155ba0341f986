-- What:   The subjects of the solver, with the persons in each.
-- Grain:  audit_id, subject_id
-- Source: MATHS 1: n_u; MATHS 5.1: what is answered in closed form never comes to the solver
-- Note:   Records that named persons may be are places, not subjects; those who may stand there are subjects instead.
create view model.solver_subject as
select
    audit_id,    -- the audit
    subject_id,  -- the subject
    person_count -- persons in it
from result.subject
where not is_closed and kind = 'person'
union all
select
    audit_id,
    subject_id,
    person_count
from result.pool_subject;
