-- What:   For each constraint of the problem that is being built, its price in an earlier audit, or 0.
-- Note:   Follows write/constraint_position. The same figure or statement has the same key in every audit.
select coalesce(m.multiplier, 0.0) as multiplier
from constraint_position as k
left join result.multiplier as m on m.audit_id = $audit_id and k.constraint_key = m.constraint_key
order by k.position
