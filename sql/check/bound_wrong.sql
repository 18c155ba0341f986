-- What:   Answers that lie outside their bounds.
-- Note:   Summed over places; 1e-7 is what the linear programs may be off.
with
    answer as (
        select
            p.audit_id,
            p.subject_id,
            p.value,
            sum(p.probability) as probability,
            any_value(b.lower) as lower,
            any_value(b.upper) as upper
        from result.posterior as p
        inner join result.bound as b on p.audit_id = b.audit_id and p.subject_id = b.subject_id and p.value = b.value
        group by p.audit_id, p.subject_id, p.value
    )

select audit_id, subject_id, value, lower, probability, upper
from answer
where lower > probability + 1e-7 or probability > upper + 1e-7
