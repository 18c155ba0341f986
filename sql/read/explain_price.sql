-- What:   The solver's price of each figure of some buckets.
-- Note:   Buckets that needed no solver have none.
select
    i.bucket_id,
    i.value,
    m.multiplier
from model.sa_invariant as i
inner join result.multiplier as m on i.audit_id = m.audit_id and i.constraint_key = m.constraint_key
where i.audit_id = $audit_id and i.bucket_id in (select unnest($buckets))
