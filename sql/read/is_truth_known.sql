-- What:   Whether the truth about somebody of an audit's dataset, or of a release in its scope, is in the store.
-- Note:   It is in a file of its own; the store only knows which load counts.
select
    exists (
        select 1
        from result.audit as a
        inner join published.dataset as d on a.dataset_id = d.dataset_id
        where a.audit_id = $audit_id and d.load_id is not null
    )
    or exists (
        select 1
        from result.audit_release as s
        inner join published.release as r on s.release_id = r.release_id
        where s.audit_id = $audit_id and r.load_id is not null
    ) as is_known
