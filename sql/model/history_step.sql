-- What:   Audits whose scope is a step of the release history: exactly the first releases that were published, in order of publication.
-- Grain:  audit_id
-- Source: DESIGN 4 (history); Re-publishing, section 2: releases one after the other
-- Note:   A withdrawn release has been seen and keeps its place. With a candidate, a removed release or one left out, a scope is no step.
create view model.history_step as
with
    history as (
        select
            release_id,
            row_number() over (partition by dataset_id order by published_on asc, release_id asc) as position
        from published.release
        where state in ('published', 'withdrawn')
    ),

    scope as (
        select
            s.audit_id,
            count(*) as release_count,
            count(h.position) as published_count,
            max(h.position) as last_position
        from result.audit_release as s
        left join history as h on s.release_id = h.release_id
        group by s.audit_id
    )

select
    audit_id, -- the audit
    last_position as step -- how many releases it looks at: 1 for the first alone
from scope
where release_count = published_count and release_count = last_position;
