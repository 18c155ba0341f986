-- What:   The persons whose probability of a value rose most from one audit to the other, each with that value, largest first.
-- Note:   Follows write/person_pair and write/compared_value. Compared by groups of persons; only those who reach the last place are looked at one by one. Of equal rises the first value in order is told.
with
    pair as (
        select distinct before_subject_id, after_subject_id
        from person_pair
        where before_subject_id is not null and after_subject_id is not null
    ),

    change as (
        select
            p.before_subject_id,
            p.after_subject_id,
            a.value,
            coalesce(b.probability, 0) as before,
            a.probability as after,
            round(a.probability - coalesce(b.probability, 0), 8) as rise
        from pair as p
        inner join compared_value as a on a.audit_id = $after_id and p.after_subject_id = a.subject_id
        left join compared_value as b on b.audit_id = $before_id and p.before_subject_id = b.subject_id and a.value = b.value
        where a.probability - coalesce(b.probability, 0) > 1e-8
    ),

    largest as (
        select before_subject_id, after_subject_id, max(rise) as rise
        from change
        group by before_subject_id, after_subject_id
    ),

    foremost as (
        select rise
        from largest
        order by rise desc
        limit $top
    ),

    chosen as (
        select
            l.before_subject_id,
            l.after_subject_id,
            l.rise,
            min(c.value) as value,
            min_by(c.before, c.value) as before,
            min_by(c.after, c.value) as after
        from largest as l
        inner join change as c
            on l.before_subject_id = c.before_subject_id and l.after_subject_id = c.after_subject_id and l.rise = c.rise
        where l.rise >= (select min(f.rise) from foremost as f)
        group by l.before_subject_id, l.after_subject_id, l.rise
    )

select
    n.person,
    c.value,
    c.before,
    c.after,
    c.after - c.before as change
from chosen as c
inner join person_pair as p on c.before_subject_id = p.before_subject_id and c.after_subject_id = p.after_subject_id
inner join published.person as n on p.person_id = n.person_id
order by c.rise desc, length(n.person) asc, n.person asc
limit $top
