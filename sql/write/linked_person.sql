-- What:   Take records to be one person whose exact quasi-identifiers are alike and unique in every release in scope that shows them.
-- Note:   Only for a dataset that is declared so. Generalized releases show no exact quasi-identifiers. The earliest record names the person.
insert into result.linked_person (audit_id, record_person_id, person_id)
with
    shown as (
        select
            m.release_id,
            m.qi_id,
            r.unit,
            count(*) as record_count,
            min(m.person_id) as person_id
        from result.audit_release as s
        inner join published.release as r on s.release_id = r.release_id
        inner join published.member as m on s.release_id = m.release_id
        where s.audit_id = $audit_id and r.form <> 'generalized'
        group by m.release_id, m.qi_id, r.unit
    ),

    unique_qi as (
        select qi_id
        from shown
        group by qi_id
        having count(*) > 1 and max(record_count) = 1
    ),

    followed as (
        select
            s.person_id as record_person_id,
            first_value(s.person_id) over (partition by s.qi_id order by o.position) as person_id
        from shown as s
        inner join unique_qi as u on s.qi_id = u.qi_id
        inner join model.release_order as o on s.release_id = o.release_id and o.audit_id = $audit_id
        where s.unit = 'person'
    )

select $audit_id, record_person_id, person_id
from followed
where record_person_id <> person_id
