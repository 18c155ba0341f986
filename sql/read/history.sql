-- What:   The release history of a dataset step by step, each with its latest solved audit, if there is one, and its latest attempt.
-- Note:   A step is the first releases that were published, up to and including one of them; a withdrawn one has been seen and counts. Audits of another population, domain, hierarchy or knowledge than today's do not count.
with
    step as (
        select
            release,
            state,
            published_on,
            row_number() over (order by published_on asc, release_id asc) as step,
            list(release) over (order by published_on asc, release_id asc rows unbounded preceding) as releases
        from published.release
        where dataset_id = $dataset_id and state in ('published', 'withdrawn')
    ),

    todays_input as (
        select 'population' as kind, population_source as name, population_digest as digest
        from published.dataset
        where dataset_id = $dataset_id and population_digest is not null
        union all
        select 'domain', 'declared', sha256(string_agg(value, chr(10) order by value))
        from published.domain_value
        where dataset_id = $dataset_id and source = 'declared'
        having count(*) > 0
        union all
        select 'hierarchy', column_name, digest
        from published.hierarchy
        where dataset_id = $dataset_id
        union all
        select 'statement', cast(statement_id as varchar), sha256(statement)
        from adversary.statement
        where dataset_id = $dataset_id and adversary = $adversary
        union all
        select
            'rules',
            count(*) filter (where is_positive) || ' positive, ' || count(*) filter (where not is_positive) || ' negative',
            sha256(string_agg(statement, chr(10) order by is_positive desc, rank asc))
        from adversary.rule
        where dataset_id = $dataset_id and adversary = $adversary
        having count(*) > 0
        union all
        select 'person', person, sha256(person || chr(31) || qi)
        from adversary.named_person
        where dataset_id = $dataset_id
    ),

    today as (
        select coalesce(string_agg(kind || ' ' || name || ' ' || digest, ', ' order by kind, name, digest), '') as inputs
        from todays_input
    ),

    read_by_audit as (
        select audit_id, string_agg(kind || ' ' || name || ' ' || digest, ', ' order by kind, name, digest) as inputs
        from result.audit_input
        where kind <> 'release'
        group by audit_id
    ),

    attempt as (
        select
            h.step,
            max(a.audit_id) as attempt_id,
            max(a.audit_id) filter (where a.status = 'solved') as audit_id
        from model.history_step as h
        inner join result.audit as a on h.audit_id = a.audit_id
        left join read_by_audit as i on h.audit_id = i.audit_id
        inner join today as n on coalesce(i.inputs, '') = n.inputs
        where a.dataset_id = $dataset_id and a.adversary = $adversary
        group by h.step
    )

select
    s.step,
    s.release,
    s.state,
    s.published_on,
    s.releases,
    h.audit_id,
    h.person_count,
    h.entropy_bits,
    h.entropy_bits_per_person,
    h.worst_probability,
    h.certain_count,
    h.finding_count,
    h.verdict,
    h.unit,
    h.inputs,
    h.finished_at,
    cast(q.options ->> 'max_probability' as double) as max_probability,
    t.attempt_id,
    a.status as attempt_status,
    a.message as attempt_message
from step as s
left join attempt as t on s.step = t.step
left join report.history as h on t.audit_id = h.audit_id
left join result.audit as q on t.audit_id = q.audit_id
left join result.audit as a on t.attempt_id = a.audit_id
order by s.step
