-- What:   The non-zero coefficients of the figures by position.
-- Note:   Follows write/cell_position and write/constraint_position. The rows of model.constraint_term, joined by bucket and value instead of by the text of the key: eight times faster.
with
    counted as (
        select
            k.position,
            k.bucket_id,
            coalesce(l.leaf, k.value) as leaf
        from constraint_position as k
        left join result.value_leaf as l on l.audit_id = $audit_id and k.value = l.value
    )

select
    k.position,
    c.cell,
    cast(1.0 as double) as coefficient
from cell_position as c
inner join result.subject_bucket as b on b.audit_id = $audit_id and c.record_subject_id = b.subject_id
inner join counted as k on b.bucket_id = k.bucket_id and c.value = k.leaf
