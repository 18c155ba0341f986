-- What:   For how many persons an audit worked out bounds.
-- Note:   A subject's bounds hold for each of its persons.
select coalesce(cast(sum(s.person_count) as bigint), 0) as person_count
from result.subject as s
where
    s.audit_id = $audit_id
    and s.subject_id in (select b.subject_id from result.bound as b where b.audit_id = $audit_id)
