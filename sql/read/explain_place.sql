-- What:   Where a named person of an audit may stand: the buckets, and how many records there may be his.
-- Note:   In the order of the buckets; records in no bucket come last.
select
    b.bucket,
    cast(sum(r.person_count) as bigint) as record_count
from result.standing as t
inner join result.subject as r on t.audit_id = r.audit_id and t.record_subject_id = r.subject_id
left join result.subject_bucket as o on t.audit_id = o.audit_id and t.record_subject_id = o.subject_id
left join published.bucket as b on o.bucket_id = b.bucket_id
where t.audit_id = $audit_id and t.subject_id = $subject_id
group by b.bucket_id, b.bucket
order by b.bucket_id nulls last
