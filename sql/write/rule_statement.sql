-- What:   Keep the rules that an audit assumes, as statements.
-- Note:   Follows write/assumed_fit. As many persons of the condition have the value as in truth.
insert into result.audit_statement (audit_id, statement_id, statement, lower, upper, is_mined)
select $audit_id, r.rule_id, r.statement, r.value_count as least, r.value_count as most, true
from assumed_rule as r
where r.rule_id in (select f.rule_id from assumed_fit as f)
