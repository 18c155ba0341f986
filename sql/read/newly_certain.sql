-- What:   Persons known to both audits whose value one of them proves and the other did not, with how probable it was, the greatest surprise first.
-- Note:   Follows write/person_pair and write/compared_subject.
with
    proven as (
        select p.person_id, p.before_subject_id, a.proven_value as value
        from person_pair as p
        inner join compared_subject as a on a.audit_id = $after_id and p.after_subject_id = a.subject_id
        inner join compared_subject as b on b.audit_id = $before_id and p.before_subject_id = b.subject_id
        where a.proven_value is not null and a.proven_value is distinct from b.proven_value
    )

select
    n.person,
    c.value,
    coalesce(b.probability, 0.0) as before
from proven as c
inner join published.person as n on c.person_id = n.person_id
left join compared_value as b on b.audit_id = $before_id and c.before_subject_id = b.subject_id and c.value = b.value
order by round(coalesce(b.probability, 0.0), 8), length(n.person), n.person
limit $top
