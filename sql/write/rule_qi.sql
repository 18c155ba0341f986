-- What:   Keep the quasi-identifiers that meet the condition of each rule.
-- Note:   Follows write/assumed_match.
insert into result.statement_qi (audit_id, statement_id, term, qi_id)
select $audit_id, m.rule_id, 1, m.qi_id
from assumed_match as m
where m.rule_id in (select f.rule_id from assumed_fit as f) and m.qi_id in (select t.qi_id from statement_tuple as t)
