-- What:   Each published figure beside what the stored answer makes of it.
-- Grain:  audit_id, bucket_id, value
-- Source: MATHS 5.5 (certificate: the largest constraint residual)
-- Note:   Over all releases in scope, whether or not the solver was needed: the expected number of persons in the bucket who have the value.
create view model.figure_check as
with
    expected as (
        select
            b.audit_id,
            b.bucket_id,
            p.value,
            sum(s.person_count * p.probability) as person_count
        from result.subject_bucket as b
        inner join result.subject as s on b.audit_id = s.audit_id and b.subject_id = s.subject_id
        inner join result.posterior as p on b.audit_id = p.audit_id and b.subject_id = p.subject_id
        group by b.audit_id, b.bucket_id, p.value
    ),

    -- A value that no figure of the bucket counts is a figure of 0.
    counted as (
        select
            coalesce(f.audit_id, e.audit_id) as audit_id,
            coalesce(f.bucket_id, e.bucket_id) as bucket_id,
            coalesce(f.value, e.value) as value,
            sum(coalesce(e.person_count, 0)) as person_count
        from model.figure_leaf as f
        full join expected as e on f.audit_id = e.audit_id and f.bucket_id = e.bucket_id and f.leaf = e.value
        group by all
    )

select
    c.audit_id,  -- the audit
    c.bucket_id, -- the bucket
    c.value,     -- the value, as published
    coalesce(i.value_count, 0) as published_count, -- as published
    c.person_count as expected_count,              -- as the answer has it
    greatest(coalesce(i.least, 0) - c.person_count, c.person_count - coalesce(i.most, 0), 0) / greatest(coalesce(i.most, 0), 1) as residual -- relative distance from what the figures of the bucket allow
from counted as c
left join model.sa_invariant as i on c.audit_id = i.audit_id and c.bucket_id = i.bucket_id and c.value = i.value;
