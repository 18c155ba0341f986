-- What:   Keep with an audit whose records its named persons may be.
-- Note:   Follows write/named_fit. Names may be removed later; the audit keeps what it took them for.
insert into result.named_qi (audit_id, person_id, qi_id)
select $audit_id, person_id, qi_id
from named_fit
