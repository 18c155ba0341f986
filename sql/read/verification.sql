-- What:   The certificate of an audit, recomputed from what is stored.
-- Note:   Of the solver's words only the probabilities, the prices and the flags of what is impossible are used. The open part is bounded as a whole: its entropy against the value of the dual at the stored prices.
with
    person_answer as (
        select
            subject_id,
            sum(probability) as total,
            min(probability) as least
        from result.posterior
        where audit_id = $audit_id
        group by subject_id
    ),

    total as (
        select max(greatest(abs(total - 1), -least)) as normalisation_error
        from person_answer
    ),

    figure as (
        select count(*) as figure_count, coalesce(max(residual), 0) as residual
        from model.figure_check
        where audit_id = $audit_id
    ),

    activity as (
        select t.constraint_key, sum(t.coefficient * s.person_count * p.probability) as persons
        from model.constraint_term as t
        inner join model.solver_subject as s on t.audit_id = s.audit_id and t.subject_id = s.subject_id
        inner join result.posterior as p
            on t.audit_id = p.audit_id and t.subject_id = p.subject_id and t.place = p.place and t.value = p.value
        where t.audit_id = $audit_id
        group by t.constraint_key
    ),

    -- An absent bound is infinite or null, and cannot be violated.
    violation as (
        select
            coalesce(max(case when isfinite(b.lower) then (b.lower - coalesce(a.persons, 0)) / greatest(abs(b.lower), 1) end), 0) as below,
            coalesce(max(case when isfinite(b.upper) then (coalesce(a.persons, 0) - b.upper) / greatest(abs(b.upper), 1) end), 0) as above
        from model.constraint_bound as b
        left join activity as a on b.constraint_key = a.constraint_key
        where b.audit_id = $audit_id
    ),

    -- Weak duality: a positive price counts with the least that is allowed, a negative one with the most. A price on an absent bound proves nothing.
    priced as (
        select
            coalesce(sum(case
                when m.multiplier > 0 then m.multiplier * coalesce(b.lower, -cast('infinity' as double))
                when m.multiplier < 0 then m.multiplier * coalesce(b.upper, cast('infinity' as double))
                else m.multiplier
            end), 0) as price
        from result.multiplier as m
        inner join model.constraint_bound as b on m.audit_id = b.audit_id and m.constraint_key = b.constraint_key
        where m.audit_id = $audit_id
    ),

    open as (
        select
            coalesce(sum(person_count * entropy_nats), 0) as entropy,
            coalesce(sum(person_count * log_partition), 0) as log_partition,
            coalesce(max(price_error), 0) as price_error
        from model.open_certificate
        where audit_id = $audit_id
    ),

    closed as (
        select coalesce(max(duality_gap), 0) as duality_gap, coalesce(max(residual), 0) as residual
        from model.closed_certificate
        where audit_id = $audit_id
    ),

    forced as (
        select count(*) as forced_count
        from result.posterior as p
        inner join model.solver_subject as s on p.audit_id = s.audit_id and p.subject_id = s.subject_id
        where p.audit_id = $audit_id and p.is_forced
    ),

    expected as (
        select subject_id, place, value
        from model.cell
        where audit_id = $audit_id
        union all
        select subject_id, place, value
        from model.closed_form
        where audit_id = $audit_id
        union all
        select subject_id, '' as place, value
        from model.record_answer
        where audit_id = $audit_id
    ),

    -- The answer for records that named persons may be is a sum over those who may stand there.
    derived as (
        select
            coalesce(max(abs(a.probability - p.probability)), 0) as difference,
            count(*) filter (where a.is_forced <> p.is_forced) as flag_count
        from model.record_answer as a
        inner join result.posterior as p on a.audit_id = p.audit_id and a.subject_id = p.subject_id and p.place = '' and a.value = p.value
        where a.audit_id = $audit_id
    ),

    -- Pairs of person group and value that have no stored answer, a second one, or one that cannot be.
    unmatched as (
        select count(*) as missing_count
        from (
            select subject_id, place, value, 1 as side
            from expected
            union all
            select subject_id, place, value, -1 as side
            from result.posterior
            where audit_id = $audit_id
        ) as pair
        group by subject_id, place, value
        having sum(side) <> 0
    ),

    missing as (
        select count(*) as missing_count
        from unmatched
    ),

    -- Who stands where is stored with the audit: it must be what the publications say, and nobody may be told by the short rule who needs the long one.
    standing as (
        select s.subject_id, m.release_id, m.bucket_id, count(*) as person_count
        from model.member_in_scope as m
        left join result.subject_person as s on m.audit_id = s.audit_id and m.person_id = s.person_id
        where m.audit_id = $audit_id
        group by s.subject_id, m.release_id, m.bucket_id
    ),

    kept as (
        select b.subject_id, b.release_id, b.bucket_id, s.person_count
        from result.subject_bucket as b
        inner join result.subject as s on b.audit_id = s.audit_id and b.subject_id = s.subject_id
        where b.audit_id = $audit_id
    ),

    sized as (
        select subject_id, count(*) as person_count, count(distinct person_id) as distinct_count
        from result.subject_person
        where audit_id = $audit_id
        group by subject_id
    ),

    misplaced as (
        select count(*) as subject_count
        from standing as p
        full join kept as k
            on p.subject_id = k.subject_id and p.release_id = k.release_id and p.bucket_id = k.bucket_id and p.person_count = k.person_count
        where p.subject_id is null or k.subject_id is null
    ),

    said as (
        select subject_id, person_count
        from result.subject
        where audit_id = $audit_id
    ),

    miscounted as (
        select count(*) as subject_count
        from sized as p
        full join said as s on p.subject_id = s.subject_id
        where s.person_count is distinct from p.person_count or p.distinct_count is distinct from p.person_count
    ),

    -- Who is looked for among the records, and where each may stand, is what the names say.
    looked_for as (
        select subject_id, pool_id, kind, person_count, person_id
        from model.pool_subject
        where audit_id = $audit_id
    ),

    kept_pool as (
        select u.subject_id, u.pool_id, u.kind, u.person_count, n.person_id
        from result.pool_subject as u
        left join result.named_person as n on u.audit_id = n.audit_id and u.subject_id = n.subject_id
        where u.audit_id = $audit_id
    ),

    may_stand as (
        select subject_id, place, record_subject_id
        from model.standing
        where audit_id = $audit_id
    ),

    kept_standing as (
        select subject_id, place, record_subject_id
        from result.standing
        where audit_id = $audit_id
    ),

    mispooled as (
        select
            (
                select count(*)
                from looked_for as l
                full join kept_pool as k
                    on
                        l.subject_id = k.subject_id and l.pool_id = k.pool_id and l.kind = k.kind and l.person_count = k.person_count
                        and l.person_id is not distinct from k.person_id
                where l.subject_id is null or k.subject_id is null
            ) + (
                select count(*)
                from may_stand as m
                full join kept_standing as k on m.subject_id = k.subject_id and m.place = k.place and m.record_subject_id = k.record_subject_id
                where m.subject_id is null or k.subject_id is null
            ) + (
                select count(*)
                from result.subject as s
                where
                    s.audit_id = $audit_id
                    and (s.kind = 'record') <> (s.subject_id in (select k.record_subject_id from kept_standing as k))
            ) as subject_count
    ),

    concerned as (
        select distinct subject_id
        from model.concerned_subject
        where audit_id = $audit_id
    ),

    shortened as (
        select count(distinct s.subject_id) as subject_count
        from result.subject as s
        left join (
            select b.subject_id, max(case when o.bucket_id is null then 0 else 1 end) as is_open, count(*) as bucket_count
            from result.subject_bucket as b
            left join (select bucket_id from model.open_bucket where audit_id = $audit_id) as o on b.bucket_id = o.bucket_id
            where b.audit_id = $audit_id
            group by b.subject_id
        ) as b on s.subject_id = b.subject_id
        left join concerned as c on s.subject_id = c.subject_id
        where s.audit_id = $audit_id and s.is_closed and (b.is_open = 1 or b.bucket_count > 1 or c.subject_id is not null)
    ),

    -- A flag says that everything else is excluded: then the probability is 0, or it is 1 and all others are flagged too.
    possible as (
        select
            subject_id,
            count(*) filter (where not (is_forced and probability = 0)) as possible_count,
            count(*) filter (where is_forced and probability <> 0 and probability <> 1) as torn_count,
            count(*) filter (where is_forced and probability = 1) as certain_count
        from result.posterior
        where audit_id = $audit_id
        group by subject_id
    ),

    misflagged as (
        select count(*) as subject_count
        from possible
        where torn_count > 0 or possible_count = 0 or (possible_count = 1) <> (certain_count = 1) or certain_count > 1
    ),

    wherever as (
        select subject_id, value, sum(probability) as probability, bool_and(is_forced) as is_forced
        from result.posterior
        where audit_id = $audit_id
        group by subject_id, value
    ),

    -- What is certain of a person encloses what is probable. The same tolerance as for everything else.
    misbounded as (
        select count(*) as pair_count
        from result.bound as b
        left join wherever as p on b.subject_id = p.subject_id and b.value = p.value
        where
            b.audit_id = $audit_id
            and not coalesce(
                b.lower >= 0 and b.upper <= 1 and p.probability between b.lower - 1e-8 and b.upper + 1e-8
                and (not p.is_forced or (b.lower >= p.probability - 1e-8 and b.upper <= p.probability + 1e-8)),
                false
            )
    ),

    headline as (
        select
            greatest(
                abs(a.entropy_bits - m.entropy_bits) / greatest(m.entropy_bits, 1),
                abs(a.person_count - m.person_count),
                abs(a.subject_count - m.subject_count),
                abs(a.cell_count - m.cell_count),
                abs(a.constraint_count - m.figure_count - m.statement_count)
            ) as headline_error
        from result.audit as a
        inner join model.audit_measure as m on a.audit_id = m.audit_id
        where a.audit_id = $audit_id
    )

select
    f.figure_count,
    (select count(*) from result.audit_statement as k where k.audit_id = $audit_id) as statement_count,
    greatest(f.residual, c.residual, v.below, v.above) as max_residual,
    coalesce(t.normalisation_error, 1) as normalisation_error,
    greatest(c.duality_gap, abs(o.log_partition - r.price - o.entropy) / greatest(abs(o.entropy), 1)) as duality_gap,
    o.price_error,
    coalesce((select l.headline_error from headline as l), 1) as headline_error,
    d.forced_count,
    m.missing_count,
    e.subject_count + n.subject_count + h.subject_count + q.subject_count as misplaced_count,
    g.subject_count + w.flag_count as misflagged_count,
    b.pair_count as misbounded_count,
    w.difference as derived_error,
    (select count(*) from result.named_person as y where y.audit_id = $audit_id) as named_count
from figure as f, total as t, violation as v, closed as c, priced as r, open as o, forced as d, missing as m,
    misplaced as e, miscounted as n, shortened as h, mispooled as q, misflagged as g, misbounded as b, derived as w
