-- What:   For each person whether the most likely value is the true one.
-- Grain:  audit_id, person
-- Source: MATHS 7: is the guess right (the publisher has the original)
-- Note:   Only in the file of the truth; only persons whose truth was loaded, with the latest release in scope that has microdata, else with the dataset. Without ids nobody in a release can be matched with the truth.
create view original.guess as
with
    load as (
        select o.audit_id, r.load_id, o.position
        from audit.model.release_order as o
        inner join audit.published.release as r on o.release_id = r.release_id
        where r.load_id is not null
        union all
        select a.audit_id, d.load_id, 0
        from audit.result.audit as a
        inner join audit.published.dataset as d on a.dataset_id = d.dataset_id
        where d.load_id is not null
    ),

    truth as (
        select l.audit_id, m.person_id, max_by(m.value, l.position) as value
        from load as l
        inner join original.main.microdata as m on l.load_id = m.load_id
        group by l.audit_id, m.person_id
    )

select
    s.audit_id,        -- the audit
    n.person,          -- the person's id
    d.likely_value,    -- the most probable value
    d.max_probability, -- how probable it is
    t.value as true_value,              -- the truth
    d.likely_value = t.value as is_true -- whether the guess is right
from audit.result.subject_person as s
inner join audit.report.subject_disclosure as d on s.audit_id = d.audit_id and s.subject_id = d.subject_id
inner join audit.published.person as n on s.person_id = n.person_id
inner join truth as t on s.audit_id = t.audit_id and s.person_id = t.person_id;
