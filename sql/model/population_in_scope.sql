-- What:   The persons whom an audit takes from the population, with their exact quasi-identifiers.
-- Grain:  audit_id, person_id
-- Source: DESIGN: who is known to be in the data
-- Note:   With ids all of the population. Without, nobody can be matched: of each combination of quasi-identifiers only the persons beyond the records that a release has already shown.
create view model.population_in_scope as
with
    has_id as (
        select distinct dataset_id
        from published.dataset_column
        where role = 'id'
    ),

    shown as (
        select audit_id, qi_id, count(*) as record_count
        from model.member_in_scope
        group by audit_id, qi_id
    ),

    numbered as (
        select
            a.audit_id,
            p.person_id,
            p.qi_id,
            d.dataset_id is not null as is_identified,
            row_number() over (partition by a.audit_id, p.qi_id order by p.person_id asc) as position
        from result.audit as a
        inner join published.population as p on a.dataset_id = p.dataset_id
        left join has_id as d on a.dataset_id = d.dataset_id
    )

select
    n.audit_id,  -- the audit
    n.person_id, -- a person of the population
    n.qi_id      -- the exact quasi-identifiers
from numbered as n
left join shown as s on n.audit_id = s.audit_id and n.qi_id = s.qi_id
where n.is_identified or n.position > coalesce(s.record_count, 0);
