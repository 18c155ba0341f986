-- What:   The releases that an audit looks at in the order of their publication.
-- Grain:  audit_id, release_id
-- Source: DESIGN: a person's quasi-identifiers are those of the latest release that does not generalize
-- Note:   Releases of the same day follow each other as they were registered.
create view model.release_order as
select
    s.audit_id,   -- the audit
    r.release_id, -- a release in its scope
    r.release,    -- its name
    r.form = 'generalized' as is_generalized, -- whether its quasi-identifiers are ranges or roots instead of exact values
    row_number() over (partition by s.audit_id order by r.published_on asc, r.release_id asc) as position -- 1 for the earliest
from result.audit_release as s
inner join published.release as r on s.release_id = r.release_id;
