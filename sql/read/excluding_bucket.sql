-- What:   The buckets that exclude a value for somebody whom a figure of a contradiction counts.
-- Note:   A figure contradicts not only other figures but also the absence of its value elsewhere, which is no figure and has no key.
select
    'release ' || r.release || ', bucket ' || b.bucket as bucket,
    string_agg(distinct f.leaf, ', ' order by f.leaf) as excluded
from model.figure as i
inner join model.figure_leaf as f on i.audit_id = f.audit_id and i.bucket_id = f.bucket_id and i.value = f.value
inner join result.subject_bucket as here on i.audit_id = here.audit_id and i.bucket_id = here.bucket_id
inner join result.subject_bucket as there on here.audit_id = there.audit_id and here.subject_id = there.subject_id and here.bucket_id <> there.bucket_id
inner join published.bucket as b on there.bucket_id = b.bucket_id
inner join published.release as r on there.release_id = r.release_id
left join model.figure_leaf as v on there.audit_id = v.audit_id and there.bucket_id = v.bucket_id and f.leaf = v.leaf
where i.audit_id = $audit_id and list_contains($keys, i.constraint_key) and v.value is null
group by there.release_id, there.bucket_id, r.release, b.bucket
order by there.release_id, there.bucket_id
