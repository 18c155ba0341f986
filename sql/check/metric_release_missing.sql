-- What:   Measures of a release that the audit did not look at.
-- Note:   Null stands for all releases in scope.
select m.audit_id, m.release, m.metric
from result.metric as m
inner join result.audit as a on m.audit_id = a.audit_id
where m.release is not null and not list_contains(a.releases, m.release)
