-- What:   For how many persons an audit worked out bounds, by their records and by name.
-- Note:   A subject's bounds hold for each of its persons. Named persons are among the records too.
with
    bounded as (
        select distinct subject_id
        from result.bound
        where audit_id = $audit_id
    )

select
    coalesce(cast(sum(s.person_count) as bigint), 0) as person_count,
    count(n.subject_id) as named_count
from bounded as b
left join result.subject as s on s.audit_id = $audit_id and b.subject_id = s.subject_id
left join result.named_person as n on n.audit_id = $audit_id and b.subject_id = n.subject_id
