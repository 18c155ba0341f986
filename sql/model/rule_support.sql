-- What:   The mined rules that an audit assumed: how many persons in scope each speaks of, and how many of them have the value.
-- Grain:  audit_id, rule_id
-- Source: Privacy-MaxEnt, section 4.4 (Top-(K+, K-) strongest associations); MATHS 6: P(s | Qv) equals its true value
-- Note:   A negative rule is told by how few have the value. adversary.rule tells rank and kind while the rule is kept.
create view model.rule_support as
select
    s.audit_id,                -- the audit
    s.statement_id as rule_id, -- the rule
    s.statement,               -- what it says
    t.person_count,            -- persons who meet its condition
    cast(s.lower as bigint) as value_count, -- those of them who have the value
    s.lower / t.person_count as probability -- P(s | Qv)
from result.audit_statement as s
inner join result.statement_term as t on s.audit_id = t.audit_id and s.statement_id = t.statement_id
where s.is_mined;
