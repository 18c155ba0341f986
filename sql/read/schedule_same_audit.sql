-- What:   The first audit that read the same as this one, in the same way, and found the same.
-- Note:   It may have been made by hand, or by a run that was killed before it could say so. The entropy may differ in its last digits.
with
    this as (
        select * from result.audit where audit_id = $audit_id
    ),

    alike as (
        select a.audit_id
        from result.audit as a
        inner join this as t
            on
                a.dataset_id = t.dataset_id and a.adversary = t.adversary and a.releases = t.releases and a.unit = t.unit
                and a.status = t.status and a.verdict = t.verdict and a.message is not distinct from t.message
                and cast(a.options as varchar) = cast(t.options as varchar) and cast(a.versions as varchar) = cast(t.versions as varchar)
                and a.person_count is not distinct from t.person_count and a.cell_count is not distinct from t.cell_count
                and abs(coalesce(a.entropy_bits, 0) - coalesce(t.entropy_bits, 0)) <= 1e-6 * greatest(1, coalesce(t.entropy_bits, 0))
    ),

    said as (
        select audit_id, 'release' as kind, cast(release_id as varchar) as what from result.audit_release
        union all
        select audit_id, kind, name || chr(31) || digest as what from result.audit_input
        union all
        select audit_id, 'conflict' as kind, constraint_key as what from result.conflict
        union all
        select audit_id, 'finding' as kind, concat_ws(chr(31), policy_rule, person_id, value, threshold) as what from result.finding
    ),

    summary as (
        select s.audit_id, sha256(string_agg(s.kind || chr(31) || s.what, chr(30) order by s.kind, s.what)) as digest
        from said as s
        inner join alike as a on s.audit_id = a.audit_id
        group by s.audit_id
    )

select min(s.audit_id) as audit_id
from summary as s
inner join summary as t on s.digest = t.digest
where t.audit_id = $audit_id
