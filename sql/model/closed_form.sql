-- What:   The answer for every subject that needs no solver.
-- Grain:  audit_id, subject_id, value
-- Source: Privacy-MaxEnt, Theorem 5: P(s | q, b) is the share of s in b; MATHS 1: whoever is in no release may have any value of the domain
-- Note:   A value is proven where the bucket holds no other.
create view model.closed_form as
with
    in_bucket as (
        select
            s.audit_id,
            s.subject_id,
            v.value,
            v.value_count,
            b.member_count
        from result.subject as s
        inner join result.subject_bucket as p on s.audit_id = p.audit_id and s.subject_id = p.subject_id
        inner join published.bucket as b on p.bucket_id = b.bucket_id
        inner join published.bucket_value as v on p.bucket_id = v.bucket_id
        where s.is_closed
    ),

    domain_size as (
        select audit_id, count(*) as value_count
        from model.domain
        group by audit_id
    ),

    in_no_bucket as (
        select
            s.audit_id,
            s.subject_id,
            d.value,
            1 as value_count,
            z.value_count as member_count
        from result.subject as s
        inner join model.domain as d on s.audit_id = d.audit_id
        inner join domain_size as z on s.audit_id = z.audit_id
        left join result.subject_bucket as p on s.audit_id = p.audit_id and s.subject_id = p.subject_id
        where s.is_closed and p.subject_id is null
    ),

    answered as (
        select * from in_bucket
        union all
        select * from in_no_bucket
    )

select
    audit_id,   -- the audit
    subject_id, -- the subject
    '' as place, -- no named person is concerned
    value,      -- a sensitive value
    cast(value_count as double) / cast(member_count as double) as probability, -- its share
    value_count = member_count as is_forced -- nothing else is possible
from answered;
