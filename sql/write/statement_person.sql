-- What:   Keep the persons who meet the condition of a term.
-- Note:   statement_match has them.
insert into result.statement_person (audit_id, statement_id, term, person_id)
select $audit_id, $statement_id, $term, person_id
from statement_match
