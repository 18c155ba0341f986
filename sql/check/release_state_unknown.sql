-- What:   Releases whose state is none of candidate, published, withdrawn and removed.
-- Note:   The state says whether the release counts in audits.
select release_id, release, state
from published.release
where state not in ('candidate', 'published', 'withdrawn', 'removed')
