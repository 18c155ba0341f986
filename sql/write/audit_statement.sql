-- What:   Keep a statement with an audit that assumes it.
-- Note:   Its terms follow. Statements may be removed later; the audit keeps what it assumed.
insert into result.audit_statement (audit_id, statement_id, statement, lower, upper)
values ($audit_id, $statement_id, $statement, $lower, $upper)
