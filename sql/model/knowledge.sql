-- What:   The statements that an audit assumed, each with a name.
-- Grain:  audit_id, statement_id
-- Source: Privacy-MaxEnt, section 4.1 (knowledge about data distribution) and section 6 (about individuals)
-- Note:   The key can be read aloud, and never is a figure's: those begin with a release.
create view model.knowledge as
select
    audit_id,     -- the audit
    statement_id, -- the statement
    lower,        -- least value of its terms together, or null
    upper,        -- greatest value, or null
    'knowledge ' || statement_id || ': ' || statement as constraint_key -- the statement in words
from result.audit_statement;
