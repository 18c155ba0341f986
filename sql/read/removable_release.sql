-- What:   Removed releases on which no audit rests.
-- Note:   The others are kept for the audits that used them.
select r.release_id, r.load_id
from published.release as r
where r.state = 'removed' and not exists (select 1 from result.audit_release as a where a.release_id = r.release_id)
