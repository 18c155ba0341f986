-- What:   Keep the quasi-identifiers that meet the condition of a term.
-- Note:   statement_match has them.
insert into result.statement_qi (audit_id, statement_id, term, qi_id)
select $audit_id, $statement_id, $term, qi_id
from statement_match
