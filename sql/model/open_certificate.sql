-- What:   For each subject that needed the solver, its entropy and what the stored prices make of it.
-- Grain:  audit_id, subject_id
-- Source: MATHS 4 (the dual) and 5.5 (certificate)
-- Note:   Summed over subjects, log_partition less the prices of the figures bounds the entropy from above, whatever the prices are; the gap closes only at the optimum. It runs over the cells of the model, not over the rows of the answer; only pairs flagged as impossible take no part.
create view model.open_certificate as
with
    price as (
        select
            t.audit_id,
            t.subject_id,
            t.place,
            t.value,
            sum(t.coefficient * m.multiplier) as price
        from model.constraint_term as t
        inner join result.multiplier as m on t.audit_id = m.audit_id and t.constraint_key = m.constraint_key
        group by t.audit_id, t.subject_id, t.place, t.value
    ),

    answer as (
        select
            c.audit_id,
            c.subject_id,
            s.person_count,
            coalesce(p.probability, 0) as probability,
            ln(c.prior_weight) as log_prior,
            ln(c.prior_weight) + coalesce(e.price, 0) as exponent
        from model.cell as c
        inner join model.solver_subject as s on c.audit_id = s.audit_id and c.subject_id = s.subject_id
        left join price as e
            on c.audit_id = e.audit_id and c.subject_id = e.subject_id and c.place = e.place and c.value = e.value
        left join result.posterior as p
            on c.audit_id = p.audit_id and c.subject_id = p.subject_id and c.place = p.place and c.value = p.value
        where not coalesce(p.is_forced and p.probability = 0, false)
    ),

    largest as (
        select audit_id, subject_id, max(exponent) as exponent
        from answer
        group by audit_id, subject_id
    ),

    summed as (
        select
            a.audit_id,
            a.subject_id,
            max(l.exponent) + ln(sum(exp(a.exponent - l.exponent))) as log_partition
        from answer as a
        inner join largest as l on a.audit_id = l.audit_id and a.subject_id = l.subject_id
        group by a.audit_id, a.subject_id
    )

select
    a.audit_id,   -- the audit
    a.subject_id, -- the subject
    max(a.person_count) as person_count, -- persons in it
    sum(case when a.probability > 0 then a.probability * (a.log_prior - ln(a.probability)) else 0 end) as entropy_nats, -- of one person; less the divergence from the prior where there is one
    max(s.log_partition) as log_partition, -- of one person
    max(abs(a.probability - exp(a.exponent - s.log_partition))) as price_error -- largest difference between a stored probability and the one that the prices imply
from answer as a
inner join summed as s on a.audit_id = s.audit_id and a.subject_id = s.subject_id
group by a.audit_id, a.subject_id;
