-- What:   Prices of figures that are no number or infinite.
-- Note:   Verifying an audit computes with them.
select audit_id, constraint_key, multiplier
from result.multiplier
where not isfinite(multiplier)
