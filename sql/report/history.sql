-- What:   What each solved audit says of its dataset in a few figures: put in order, the state of the dataset over its release history.
-- Grain:  audit_id
-- Source: DESIGN 4; Re-publishing, section 5 (entropy as releases accumulate)
-- Note:   The history is where is_prefix and is_latest, by release_count. What is a candidate or a step of the history depends on today's releases, not on those of the day of the audit.
create view report.history as
with
    scope as (
        select
            o.audit_id,
            count(*) as release_count,
            max_by(r.release, o.position) as latest_release,
            max_by(r.published_on, o.position) as published_on,
            bool_or(r.state = 'candidate') as has_candidate,
            string_agg(o.release_id, ' ' order by o.release_id) as release_ids
        from model.release_order as o
        inner join published.release as r on o.release_id = r.release_id
        group by o.audit_id
    ),

    other_input as (
        select audit_id, string_agg(kind || ' ' || name || ' ' || digest, ', ' order by kind, name, digest) as inputs
        from result.audit_input
        where kind <> 'release'
        group by audit_id
    ),

    exposure as (
        select
            d.audit_id,
            max(d.max_probability) as worst_probability,
            cast(coalesce(sum(s.person_count) filter (where d.possible_count = 1), 0) as bigint) as certain_count
        from report.subject_disclosure as d
        left join result.subject as s on d.audit_id = s.audit_id and d.subject_id = s.subject_id
        left join result.named_person as n on d.audit_id = n.audit_id and d.subject_id = n.subject_id
        where s.subject_id is not null or n.subject_id is not null
        group by d.audit_id
    ),

    audit as (
        select
            a.*,
            coalesce(s.release_count, 0) as release_count,
            s.latest_release,
            s.published_on,
            coalesce(s.has_candidate, false) as has_candidate,
            coalesce(i.inputs, '') as inputs,
            max(a.audit_id) over (
                partition by a.dataset_id, a.adversary, a.unit, coalesce(s.release_ids, ''), coalesce(i.inputs, '')
            ) as latest_audit_id
        from result.audit as a
        left join scope as s on a.audit_id = s.audit_id
        left join other_input as i on a.audit_id = i.audit_id
        where a.status = 'solved'
    )

select
    a.dataset,           -- what was audited
    a.adversary,         -- whose knowledge was assumed
    a.audit_id,          -- the audit
    a.releases,          -- names of the releases in scope, in order of publication
    a.release_count,     -- how many they are
    a.latest_release,    -- the last of them
    a.published_on,      -- the day of its publication
    a.has_candidate,     -- whether one of them is a candidate still
    a.person_count,      -- persons in scope
    a.entropy_bits,      -- what remains unknown, summed over persons
    a.entropy_bits / nullif(a.person_count, 0) as entropy_bits_per_person, -- the same on average
    e.worst_probability, -- the highest probability of any value for anybody, also by name
    e.certain_count,     -- persons with a single possible value: proven, not only probable
    v.finding_count,     -- rows in report.finding; 0 means nothing where the verdict is unjudged
    v.verdict,           -- pass, breach or unjudged
    h.step is not null as is_prefix,              -- whether these are exactly the first releases that were published: a step of the history
    a.audit_id = a.latest_audit_id as is_latest,  -- whether no later solved audit has the same releases, adversary and other inputs
    a.inputs,            -- what else was read (population, domain, hierarchies, statements, named persons), with digests
    a.unit,              -- person, or record where each row was audited as a person of its own
    a.finished_at        -- when it ended (UTC)
from audit as a
inner join exposure as e on a.audit_id = e.audit_id
inner join report.verdict as v on a.audit_id = v.audit_id
left join model.history_step as h on a.audit_id = h.audit_id;
