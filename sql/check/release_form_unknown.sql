-- What:   Releases whose form is none of bucketized, anatomy and generalized.
-- Note:   The form says whether quasi-identifiers are exact.
select release_id, release, form
from published.release
where form not in ('bucketized', 'anatomy', 'generalized')
