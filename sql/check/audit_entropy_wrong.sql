-- What:   Solved audits whose entropy is not that of their answer.
-- Note:   Summed over persons, in bits; to nine digits.
with
    answer as (
        select
            p.audit_id,
            sum(case when p.probability > 0 then -s.person_count * p.probability * log2(p.probability) else 0 end) as entropy_bits
        from result.posterior as p
        inner join result.subject as s on p.audit_id = s.audit_id and p.subject_id = s.subject_id
        group by p.audit_id
    )

select a.audit_id, a.entropy_bits, n.entropy_bits as counted
from result.audit as a
inner join answer as n on a.audit_id = n.audit_id
where a.status = 'solved' and (a.entropy_bits is null or abs(a.entropy_bits - n.entropy_bits) > 1e-9 * greatest(n.entropy_bits, 1))
