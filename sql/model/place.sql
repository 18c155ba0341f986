-- What:   The groups of records that named persons may be: places, each with its size and names for it.
-- Grain:  audit_id, record_subject_id
-- Source: MATHS 1: the (q, bucket) totals become constraints of their own; Privacy-MaxEnt, section 6
-- Note:   All records of a subject may be the same named persons. A number follows a bucket's name where several places share it, or where it ends like one.
create view model.place as
with
    pool_qi as (
        select distinct n.audit_id, n.qi_id, p.pool_id
        from result.named_qi as n
        inner join model.named_pool as p on n.audit_id = p.audit_id and n.person_id = p.person_id
    ),

    sized as (
        select
            s.audit_id,
            s.subject_id,
            min(q.pool_id) as pool_id,
            count(*) as person_count,
            min(s.person_id) as person_id
        from result.subject_person as s
        inner join pool_qi as q on s.audit_id = q.audit_id and s.qi_id = q.qi_id
        group by s.audit_id, s.subject_id
    ),

    named as (
        select
            z.audit_id,
            z.subject_id,
            z.pool_id,
            z.person_count,
            n.person,
            r.release as release_name,
            coalesce(b.bucket, 'no bucket') as bucket
        from sized as z
        inner join published.person as n on z.person_id = n.person_id
        left join result.subject_bucket as o on z.audit_id = o.audit_id and z.subject_id = o.subject_id
        left join published.bucket as b on o.bucket_id = b.bucket_id
        left join published.release as r on o.release_id = r.release_id
    ),

    numbered as (
        select
            audit_id,
            subject_id,
            pool_id,
            person_count,
            person,
            release_name,
            bucket,
            case when bucket like '%,%' or bucket like '%"%' then '"' || replace(bucket, '"', '""') || '"' else bucket end as quoted,
            row_number() over (partition by audit_id, pool_id, bucket order by subject_id) as position,
            count(*) over (partition by audit_id, pool_id, bucket) as place_count
        from named
    )

select
    audit_id,                        -- the audit
    subject_id as record_subject_id, -- the records: a subject of result.subject
    pool_id,                         -- the pool
    case when place_count > 1 or bucket like '% (%)' then bucket || ' (' || position || ')' else bucket end as place, -- as result.posterior names it
    person_count,                    -- records there
    case when release_name is null then 'no release' else 'release ' || release_name || ', bucket ' || quoted end
    || ': ' || person_count || case when person_count = 1 then ' record like ' else ' records like ' end || person as constraint_key -- that so many stand there, in words
from numbered;
