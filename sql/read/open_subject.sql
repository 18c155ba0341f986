-- What:   The subjects of an audit that need the solver, in order.
-- Note:   A subject without a cell is among them: the solver names it as impossible.
select subject_id, cast(person_count as double) as person_count
from model.solver_subject
where audit_id = $audit_id
order by subject_id
