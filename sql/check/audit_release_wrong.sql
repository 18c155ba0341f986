-- What:   Audits whose releases are not those of their scope.
-- Note:   A release on which an audit rests is kept, even where it was removed.
with
    scope as (
        select s.audit_id, list_sort(list(r.release)) as releases, count(*) as release_count
        from result.audit_release as s
        inner join result.audit as a on s.audit_id = a.audit_id
        left join published.release as r on s.release_id = r.release_id and a.dataset_id = r.dataset_id
        group by s.audit_id
    )

select a.audit_id, a.releases
from result.audit as a
left join scope as s on a.audit_id = s.audit_id
where list_sort(a.releases) is distinct from coalesce(s.releases, []) or len(a.releases) <> coalesce(s.release_count, 0)
