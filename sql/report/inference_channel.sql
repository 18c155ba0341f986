-- What:   What further releases added to what was known: each person's probabilities before and after.
-- Grain:  audit_id, baseline_audit_id, person, value
-- Source: Re-publishing, Definition 2.2 (inference channel)
-- Note:   Pairs two solved audits whose releases are strictly nested and whose other inputs are the same. before is null for a person who is new.
create view report.inference_channel as
with
    release_count as (
        select audit_id, count(*) as release_count
        from result.audit_release
        group by audit_id
    ),

    other_input as (
        select audit_id, string_agg(kind || ' ' || name || ' ' || digest, ', ' order by kind, name, digest) as inputs
        from result.audit_input
        where kind <> 'release'
        group by audit_id
    ),

    comparable as (
        select
            a.audit_id,
            a.dataset_id,
            a.adversary,
            a.unit,
            coalesce(r.release_count, 0) as release_count,
            coalesce(o.inputs, '') as inputs
        from result.audit as a
        left join release_count as r on a.audit_id = r.audit_id
        left join other_input as o on a.audit_id = o.audit_id
        where a.status = 'solved'
    ),

    shared as (
        select later.audit_id, baseline.audit_id as baseline_audit_id, count(*) as release_count
        from result.audit_release as later
        inner join result.audit_release as baseline on later.release_id = baseline.release_id
        group by later.audit_id, baseline.audit_id
    ),

    pair as (
        select l.audit_id, b.audit_id as baseline_audit_id
        from comparable as l
        inner join comparable as b
            on
                l.dataset_id = b.dataset_id
                and l.adversary = b.adversary
                and l.unit = b.unit
                and l.inputs = b.inputs
                and l.release_count > b.release_count
        left join shared as s on l.audit_id = s.audit_id and b.audit_id = s.baseline_audit_id
        where b.release_count = coalesce(s.release_count, 0)
    ),

    -- Records that only the later audit could link are the person whom it names; records that only the earlier one could are all whom it meant.
    known_before as (
        select
            p.audit_id,
            p.baseline_audit_id,
            coalesce(l.person_id, s.person_id) as person_id,
            s.subject_id
        from pair as p
        inner join result.subject_person as s on p.baseline_audit_id = s.audit_id
        left join result.linked_person as l on p.audit_id = l.audit_id and s.person_id = l.record_person_id
        union
        select
            p.audit_id,
            p.baseline_audit_id,
            coalesce(l.person_id, b.record_person_id) as person_id,
            s.subject_id
        from pair as p
        inner join result.linked_person as b on p.baseline_audit_id = b.audit_id
        inner join result.subject_person as s on p.baseline_audit_id = s.audit_id and b.person_id = s.person_id
        left join result.linked_person as l on p.audit_id = l.audit_id and b.record_person_id = l.record_person_id
    ),

    standing as (
        select
            p.audit_id,
            p.baseline_audit_id,
            s.person_id,
            s.subject_id,
            k.subject_id as baseline_subject_id
        from pair as p
        inner join result.subject_person as s on p.audit_id = s.audit_id
        left join known_before as k
            on p.audit_id = k.audit_id and p.baseline_audit_id = k.baseline_audit_id and s.person_id = k.person_id
    ),

    -- Persons who stood together and still do changed together: the probabilities are compared once for all of them.
    together as (
        select distinct audit_id, baseline_audit_id, subject_id, baseline_subject_id
        from standing
    ),

    told as (
        select t.audit_id, t.baseline_audit_id, t.subject_id, t.baseline_subject_id, a.value, 0.0 as before, a.probability as after
        from together as t
        inner join result.posterior as a on t.audit_id = a.audit_id and t.subject_id = a.subject_id
        union all
        select t.audit_id, t.baseline_audit_id, t.subject_id, t.baseline_subject_id, b.value, b.probability as before, 0.0 as after
        from together as t
        inner join result.posterior as b on t.baseline_audit_id = b.audit_id and t.baseline_subject_id = b.subject_id
    ),

    change as (
        select
            audit_id,
            baseline_audit_id,
            subject_id,
            baseline_subject_id,
            value,
            sum(before) as before,
            sum(after) as after
        from told
        group by audit_id, baseline_audit_id, subject_id, baseline_subject_id, value
    )

select
    s.audit_id,          -- the audit with more releases
    s.baseline_audit_id, -- the audit with fewer
    n.person,            -- the person
    c.value,             -- a sensitive value
    case when s.baseline_subject_id is not null then c.before end as before, -- with fewer releases; null for a person who is new
    c.after              -- with more releases
from standing as s
inner join change as c
    on
        s.audit_id = c.audit_id
        and s.baseline_audit_id = c.baseline_audit_id
        and s.subject_id = c.subject_id
        and s.baseline_subject_id is not distinct from c.baseline_subject_id
inner join published.person as n on s.person_id = n.person_id;
