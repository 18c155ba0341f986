-- What:   An audit as far as it is compared with another.
-- Note:   Its options come along as text.
select
    a.audit_id,
    a.dataset_id,
    a.dataset,
    a.adversary,
    a.releases,
    a.status,
    a.unit,
    a.person_count,
    a.subject_count,
    a.cell_count,
    a.constraint_count,
    a.component_count,
    a.entropy_bits,
    a.verdict,
    v.finding_count,
    a.finished_at,
    a.options
from result.audit as a
inner join report.verdict as v on a.audit_id = v.audit_id
where a.audit_id = $audit_id
