-- What:   Sweeps that have a bound or an audit twice, assume more rules than their bound allows, or whose audits assumed other numbers of rules.
-- Note:   Half of a bound are positive rules, one more where it is odd. Rules that no longer fit the persons in scope are assumed by nobody.
with
    assumed as (
        select audit_id, count(*) as rule_count
        from result.audit_statement
        where is_mined
        group by audit_id
    )

select s.sweep_id, s.audit_id, s.bound
from result.sweep as s
left join assumed as a on s.audit_id = a.audit_id
where
    s.positive_count > (s.bound + 1) // 2
    or s.negative_count > s.bound // 2
    or coalesce(a.rule_count, 0) > s.positive_count + s.negative_count
    or exists (select 1 from result.sweep as o where o.audit_id = s.audit_id and (o.sweep_id <> s.sweep_id or o.bound <> s.bound))
    or exists (select 1 from result.sweep as o where o.sweep_id = s.sweep_id and o.bound = s.bound and o.audit_id <> s.audit_id)
