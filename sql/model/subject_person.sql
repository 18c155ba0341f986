-- What:   Which persons nothing in an audit's scope tells apart: they form one subject.
-- Grain:  audit_id, person_id
-- Source: MATHS 1: subjects; Privacy-MaxEnt Theorem 5 (without knowledge the answer does not depend on the quasi-identifier)
-- Note:   Quasi-identifiers and names tell persons apart only where a statement looks at them, or where the papers' full model is asked for: by which conditions each meets; and by which named persons each may be.
create view model.subject_person as
with
    qi_condition as (
        select audit_id, qi_id, list_sort(list(statement_id * 1000 + term)) as met
        from result.statement_qi
        group by audit_id, qi_id
    ),

    person_condition as (
        select audit_id, person_id, string_agg(statement_id || '.' || term, ',' order by statement_id, term) as met
        from result.statement_person
        group by audit_id, person_id
    ),

    -- Only where a rule speaks of the population alone, and somebody else is in scope.
    in_population as (
        select distinct t.audit_id, p.person_id
        from result.statement_term as t
        inner join result.audit as u on t.audit_id = u.audit_id
        inner join published.population as p on u.dataset_id = p.dataset_id
        where t.is_over_population
    ),

    named_condition as (
        select audit_id, qi_id, string_agg(person_id, ',' order by person_id) as met
        from result.named_qi
        group by audit_id, qi_id
    ),

    described as (
        select
            q.audit_id,
            q.person_id,
            q.qi_id,
            a.first_bucket_id,
            a.buckets,
            case when u.is_full_model then q.qi_id end as told_apart_by,
            c.met as qi_met,
            coalesce(p.met, '') as person_met,
            coalesce(n.met, '') as named_met,
            i.person_id is not null as is_in_population
        from model.person_qi as q
        inner join result.audit as u on q.audit_id = u.audit_id
        left join model.appearance as a on q.audit_id = a.audit_id and q.person_id = a.person_id
        left join qi_condition as c on q.audit_id = c.audit_id and q.qi_id = c.qi_id
        left join person_condition as p on q.audit_id = p.audit_id and q.person_id = p.person_id
        left join named_condition as n on q.audit_id = n.audit_id and q.qi_id = n.qi_id
        left join in_population as i on q.audit_id = i.audit_id and q.person_id = i.person_id
    )

select
    audit_id,  -- the audit
    dense_rank() over (
        partition by audit_id
        order by
            first_bucket_id asc nulls last, buckets asc nulls last, told_apart_by asc,
            qi_met asc nulls first, person_met asc, named_met asc, is_in_population desc
    ) as subject_id, -- the subject, numbered from 1
    person_id, -- the person
    qi_id      -- the person's quasi-identifiers
from described;
