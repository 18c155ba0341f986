-- What:   The subjects whose bounds are asked for: everybody's, those of named persons, or those of the most exposed.
-- Note:   $persons null and $worst null: everybody.
create or replace temp table bound_subject as
with
    exposed as (
        select person
        from report.disclosure
        where audit_id = $audit_id
        order by max_probability desc, person asc
        limit $worst
    )

select distinct s.subject_id
from model.audited_person as s
inner join published.person as n on s.person_id = n.person_id
where
    s.audit_id = $audit_id
    and ($persons is null or list_contains($persons, n.person))
    and ($worst is null or n.person in (select e.person from exposed as e))
