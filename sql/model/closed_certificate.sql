-- What:   For each subject that needed no solver, the proof that its stored answer is right.
-- Grain:  audit_id, subject_id
-- Source: MATHS 5.5 (certificate); Privacy-MaxEnt, Theorem 5
-- Note:   Any prices give an upper bound of the entropy; these are the logarithms of the answer itself, so that the gap closes only if the answer is optimal.
create view model.closed_certificate as
with
    domain_size as (
        select audit_id, count(*) as value_count
        from model.domain
        group by audit_id
    ),

    answer as (
        select
            p.audit_id,
            p.subject_id,
            s.person_count,
            p.probability,
            case
                when o.bucket_id is null then 1 / cast(d.value_count as double)
                else coalesce(cast(v.value_count as double), 0) / cast(b.member_count as double)
            end as share
        from result.posterior as p
        inner join result.subject as s on p.audit_id = s.audit_id and p.subject_id = s.subject_id
        left join result.subject_bucket as o on p.audit_id = o.audit_id and p.subject_id = o.subject_id
        left join published.bucket as b on o.bucket_id = b.bucket_id
        left join published.bucket_value as v on o.bucket_id = v.bucket_id and p.value = v.value
        left join domain_size as d on p.audit_id = d.audit_id
        where s.is_closed
    ),

    told as (
        select
            audit_id,
            subject_id,
            person_count,
            probability,
            share,
            case when probability > 0 then ln(probability) else 0 end as price
        from answer
    ),

    summed as (
        select
            audit_id,
            subject_id,
            max(person_count) as person_count,
            sum(probability) as total,
            sum(-probability * price) as entropy,
            ln(sum(exp(price))) - sum(share * price) as dual_value,
            max(abs(probability - share) * person_count / greatest(share * person_count, 1)) as residual
        from told
        group by audit_id, subject_id
    )

select
    audit_id,     -- the audit
    subject_id,   -- the subject
    person_count, -- persons in it
    abs(total - 1) as normalisation_error, -- how far its probabilities are from summing to one
    residual,     -- largest relative violation of a published figure
    abs(dual_value - entropy) * person_count / greatest(entropy * person_count, 1) as duality_gap -- relative distance to the optimum
from summed;
