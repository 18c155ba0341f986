-- What:   What is certain of persons whose answer came from the solver.
-- Note:   Lent as Arrow.
insert into result.bound (audit_id, subject_id, place, value, lower, upper)
select $audit_id, subject_id, '', value, lower, upper
from bounded
