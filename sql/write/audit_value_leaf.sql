-- What:   Keep with an audit what its coarser values stand for.
-- Note:   Follows write/value_leaf. Hierarchies may change later; the audit does not.
insert into result.value_leaf (audit_id, value, leaf)
select $audit_id, value, leaf
from coarse_value_leaf
