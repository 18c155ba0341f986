-- What:   Audits that say other numbers of persons, subjects, cells or constraints than are stored.
-- Note:   Cells and constraints are told of solved audits only. The answer for records that named persons may be is derived, and no cell.
with
    subject as (
        select audit_id, sum(person_count) as person_count, count(*) as subject_count
        from result.subject
        group by audit_id
    ),

    cell as (
        select p.audit_id, count(*) filter (where s.kind is distinct from 'record') as cell_count
        from result.posterior as p
        left join result.subject as s on p.audit_id = s.audit_id and p.subject_id = s.subject_id
        group by p.audit_id
    ),

    figure as (
        select r.audit_id, count(*) as figure_count
        from result.audit_release as r
        inner join published.bucket as b on r.release_id = b.release_id
        inner join published.bucket_value as v on b.bucket_id = v.bucket_id
        group by r.audit_id
    ),

    statement as (
        select audit_id, count(*) as statement_count
        from result.audit_statement
        group by audit_id
    )

select a.audit_id, a.person_count, a.subject_count, a.cell_count, a.constraint_count
from result.audit as a
left join subject as s on a.audit_id = s.audit_id
left join cell as c on a.audit_id = c.audit_id
left join figure as f on a.audit_id = f.audit_id
left join statement as k on a.audit_id = k.audit_id
where
    a.status <> 'running'
    and (
        a.person_count is distinct from s.person_count
        or a.subject_count is distinct from s.subject_count
        or (a.status = 'solved' and a.cell_count is distinct from c.cell_count)
        or (a.status = 'solved' and a.constraint_count is distinct from coalesce(f.figure_count, 0) + coalesce(k.statement_count, 0))
    )
