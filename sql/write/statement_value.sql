-- What:   Keep the values that a term counts.
-- Note:   statement_match has them.
insert into result.statement_value (audit_id, statement_id, term, value)
select $audit_id, $statement_id, $term, value
from statement_match
