-- What:   The verdict on each audit.
-- Grain:  audit_id
-- Source: DESIGN 4
-- Note:   unjudged: no policy was given. unknown: the audit was not solved, which is never a pass.
create view report.verdict as
with
    counted as (
        select audit_id, count(*) as finding_count
        from result.finding
        group by audit_id
    )

select
    a.audit_id,  -- the audit
    a.dataset,   -- what was audited
    a.adversary, -- whose knowledge was assumed
    a.verdict,   -- pass, breach, unjudged or unknown
    coalesce(c.finding_count, 0) as finding_count -- rows in report.finding
from result.audit as a
left join counted as c on a.audit_id = c.audit_id;
