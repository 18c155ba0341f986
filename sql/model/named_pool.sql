-- What:   Which named persons share records that each of them may be, directly or through others: they form a pool.
-- Grain:  audit_id, person_id
-- Source: Privacy-MaxEnt, section 6: persons with the same quasi-identifiers are candidates for the same pseudonyms
-- Note:   Connected components. Persons who may have the same quasi-identifiers are tied to the first of them, which takes fewer rows than tying each to each.
create view model.named_pool as
with recursive
    first_of_qi as (
        select audit_id, qi_id, min(person_id) as person_id
        from result.named_qi
        group by audit_id, qi_id
    ),

    tie as (
        select n.audit_id, n.person_id, f.person_id as other_id
        from result.named_qi as n
        inner join first_of_qi as f on n.audit_id = f.audit_id and n.qi_id = f.qi_id
        union
        select n.audit_id, f.person_id, n.person_id as other_id
        from result.named_qi as n
        inner join first_of_qi as f on n.audit_id = f.audit_id and n.qi_id = f.qi_id
    ),

    reached as (
        select audit_id, person_id, other_id
        from tie
        union
        select r.audit_id, r.person_id, t.other_id
        from reached as r
        inner join tie as t on r.audit_id = t.audit_id and r.other_id = t.person_id
    )

select
    audit_id,  -- the audit
    person_id, -- a named person
    min(other_id) as pool_id -- the first person of his pool
from reached
group by audit_id, person_id;
