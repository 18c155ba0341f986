-- What:   Audits with findings whose verdict is not breach, or with that verdict and no finding.
-- Note:   Empty where an audit was not judged.
with
    counted as (
        select audit_id, count(*) as finding_count
        from result.finding
        group by audit_id
    )

select a.audit_id, a.verdict, coalesce(c.finding_count, 0) as finding_count
from result.audit as a
left join counted as c on a.audit_id = c.audit_id
where (a.verdict = 'breach') <> (c.finding_count is not null)
