-- What:   The persons of a subject that has no possible value, and the buckets that exclude each other.
-- Note:   A few names suffice.
with
    person as (
        select string_agg(n.person, ', ' order by n.person) as persons, count(*) > 1 as is_several
        from (
            select s.person_id
            from result.subject_person as s
            where s.audit_id = $audit_id and s.subject_id = $subject_id
            order by s.person_id
            limit 3
        ) as few
        inner join published.person as n on few.person_id = n.person_id
    )

select
    any_value(p.persons) as persons,
    any_value(p.is_several) as is_several,
    list('release ' || r.release || ', bucket ' || b.bucket order by o.position) as buckets
from result.subject_bucket as s
inner join published.bucket as b on s.bucket_id = b.bucket_id
inner join published.release as r on s.release_id = r.release_id
inner join model.release_order as o on s.audit_id = o.audit_id and s.release_id = o.release_id
cross join person as p
where s.audit_id = $audit_id and s.subject_id = $subject_id
