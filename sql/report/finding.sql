-- What:   What a policy found, person by person.
-- Grain:  audit_id, policy_rule, person, value
-- Source: DESIGN 4
-- Note:   Empty for an audit that no policy judged: its verdict is then unjudged, never a pass.
create view report.finding as
select
    f.audit_id,    -- the audit
    f.policy_rule, -- the rule that was broken
    n.person,      -- whom it concerns
    f.value,       -- which value
    f.measure,     -- what was measured
    f.threshold    -- what was allowed
from result.finding as f
left join published.person as n on f.person_id = n.person_id;
