-- What:   Coarser values of an audit that stand for the same leaf twice, or for nothing but themselves.
-- Note:   A value that stands for itself has no row.
select audit_id, value, min(leaf) as leaf
from result.value_leaf
group by audit_id, value
having count(*) <> count(distinct leaf) or bool_and(leaf = value)
