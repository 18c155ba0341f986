-- What:   The quasi-identifiers that an audit takes a person to have.
-- Grain:  audit_id, person_id
-- Source: DESIGN: the population's, else those of the latest release in scope that does not generalize, else the latest tuple
-- Note:   Whoever appears once needs no choice; sources that disagree are counted by report.quasi_identifier_conflict.
create view model.person_qi as
with
    shown as (
        select
            m.audit_id,
            m.person_id,
            max_by(m.qi_id, case when o.is_generalized then 0 else 1000000000 end + o.position) as qi_id
        from model.member_in_scope as m
        inner join model.release_order as o on m.audit_id = o.audit_id and m.release_id = o.release_id
        group by m.audit_id, m.person_id
    )

select
    coalesce(s.audit_id, p.audit_id) as audit_id,    -- the audit
    coalesce(s.person_id, p.person_id) as person_id, -- the person
    coalesce(p.qi_id, s.qi_id) as qi_id              -- the quasi-identifiers
from shown as s
full join model.population_in_scope as p on s.audit_id = p.audit_id and s.person_id = p.person_id;
