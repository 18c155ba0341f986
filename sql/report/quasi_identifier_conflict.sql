-- What:   Persons whose exact quasi-identifiers differ between the sources that an audit looked at.
-- Grain:  audit_id, person
-- Source: DESIGN 3: where sources disagree a warning counts them
-- Note:   Generalized releases do not count: a tuple there is meant to differ from the exact values.
create view report.quasi_identifier_conflict as
with
    told as (
        select m.audit_id, m.person_id, m.qi_id
        from model.member_in_scope as m
        inner join model.release_order as o on m.audit_id = o.audit_id and m.release_id = o.release_id
        where not o.is_generalized
        union
        select audit_id, person_id, qi_id
        from model.population_in_scope
    )

select
    t.audit_id, -- the audit
    n.person,   -- the person
    count(*) as tuple_count -- different combinations that the sources tell
from told as t
inner join published.person as n on t.person_id = n.person_id
group by t.audit_id, t.person_id, n.person
having count(*) > 1;
