-- What:   Keep the solver's answer.
-- Note:   Lent as Arrow, in the order of the cells.
insert into result.posterior (audit_id, subject_id, place, value, probability, is_forced)
select $audit_id, subject_id, place, value, probability, is_forced
from solved
