-- What:   The persons in an audit's scope, with the quasi-identifiers that it takes them to have.
-- Note:   Made once for all statements, before the subjects are known.
create or replace temp table statement_scope as
select person_id, qi_id
from model.person_qi
where audit_id = $audit_id
