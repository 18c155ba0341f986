-- What:   Keep the solver's price of each figure.
-- Note:   Lent as Arrow, in the order of the constraints.
insert into result.multiplier (audit_id, constraint_key, multiplier)
select $audit_id, constraint_key, multiplier
from priced
