-- What:   Number the unknowns as the solver's vectors have them.
-- Note:   Sorted by subject; positions begin at 0 and exist only while the problem is built.
create or replace temp table cell_position as
select
    row_number() over (order by subject_id, place, value) - 1 as cell,
    subject_id,
    place,
    value,
    prior_weight,
    record_subject_id
from model.cell
where audit_id = $audit_id
