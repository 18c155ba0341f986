-- What:   Sizes, entropy and the closed part's certificate of an audit, counted from what is stored.
-- Grain:  audit_id
-- Source: DESIGN 4 (result.audit); MATHS 5.5 and 7
-- Note:   A component is a part that no published figure connects with the rest; those of the open part are counted by the solver. Entropy and persons are those of the records, which named persons are counted in.
create view model.audit_measure as
with
    subject as (
        select
            audit_id,
            sum(person_count) as person_count,
            count(*) as subject_count
        from result.subject
        group by audit_id
    ),

    answer as (
        select
            p.audit_id,
            count(*) filter (where s.kind is distinct from 'record') as cell_count,
            sum(case when p.probability > 0 then -s.person_count * p.probability * log2(p.probability) else 0 end) as entropy_bits
        from result.posterior as p
        left join result.subject as s on p.audit_id = s.audit_id and p.subject_id = s.subject_id
        group by p.audit_id
    ),

    figure as (
        select r.audit_id, count(*) as figure_count
        from result.audit_release as r
        inner join published.bucket_value as v on r.release_id = v.release_id
        group by r.audit_id
    ),

    statement as (
        select audit_id, count(*) as statement_count
        from result.audit_statement
        group by audit_id
    ),

    closed_bucket as (
        select b.audit_id, count(distinct b.bucket_id) as bucket_count
        from result.subject_bucket as b
        inner join result.subject as s on b.audit_id = s.audit_id and b.subject_id = s.subject_id
        where s.is_closed
        group by b.audit_id
    ),

    alone as (
        select s.audit_id, count(*) as subject_count
        from result.subject as s
        left join result.subject_bucket as b on s.audit_id = b.audit_id and s.subject_id = b.subject_id
        where s.is_closed and b.subject_id is null
        group by s.audit_id
    ),

    certificate as (
        select
            audit_id,
            max(greatest(residual, normalisation_error)) as max_residual,
            max(duality_gap) as duality_gap
        from model.closed_certificate
        group by audit_id
    )

select
    s.audit_id,      -- the audit
    s.person_count,  -- persons in scope
    s.subject_count, -- sets of persons whom nothing tells apart
    a.cell_count,    -- unknowns of the solver, and answers in closed form
    coalesce(f.figure_count, 0) as figure_count, -- published figures
    coalesce(b.bucket_count, 0) + coalesce(n.subject_count, 0) as closed_component_count, -- parts answered without the solver
    abs(a.entropy_bits) as entropy_bits,         -- what remains unknown, summed over persons
    coalesce(c.max_residual, 0) as max_residual, -- of the closed part
    coalesce(c.duality_gap, 0) as duality_gap,   -- of the closed part
    coalesce(k.statement_count, 0) as statement_count -- statements of the adversary
from subject as s
inner join answer as a on s.audit_id = a.audit_id
left join figure as f on s.audit_id = f.audit_id
left join statement as k on s.audit_id = k.audit_id
left join closed_bucket as b on s.audit_id = b.audit_id
left join alone as n on s.audit_id = n.audit_id
left join certificate as c on s.audit_id = c.audit_id;
