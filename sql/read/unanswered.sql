-- What:   How many persons have no answer, because they stand in no release and no value is known.
-- Note:   Zero unless somebody stands in no release and the domain is empty.
select coalesce(cast(sum(s.person_count) as bigint), 0) as person_count
from result.subject as s
where
    s.audit_id = $audit_id
    and not exists (select 1 from result.subject_bucket as b where b.audit_id = s.audit_id and b.subject_id = s.subject_id)
    and not exists (select 1 from model.domain as d where d.audit_id = s.audit_id)
