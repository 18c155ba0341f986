-- What:   What an audit leaves unknown of the persons of two releases, each and together.
-- Note:   Entropy in bits, summed over persons; somebody is certain whose likeliest value has probability 1 but for rounding.
with
    standing as (
        select
            m.person_id,
            bool_or(r.release = $first) as in_first,
            bool_or(r.release = $second) as in_second
        from published.member as m
        inner join published.release as r on m.release_id = r.release_id
        inner join result.audit as a on r.dataset_id = a.dataset_id
        where a.audit_id = $audit_id and r.release in ($first, $second)
        group by m.person_id
    )

select
    coalesce(sum(d.entropy_bits) filter (where p.in_first), 0) as first_bits,
    coalesce(sum(d.entropy_bits) filter (where p.in_second), 0) as second_bits,
    coalesce(sum(d.entropy_bits) filter (where not p.in_second), 0) as first_only_bits,
    sum(d.entropy_bits) as all_bits,
    count(*) filter (where p.in_second and d.max_probability > 1 - 1e-9) as second_certain,
    count(*) filter (where not p.in_second and d.max_probability > 1 - 1e-9) as first_only_certain
from result.subject_person as s
inner join report.subject_disclosure as d on s.audit_id = d.audit_id and s.subject_id = d.subject_id
inner join standing as p on s.person_id = p.person_id
where s.audit_id = $audit_id
