-- What:   The sensitive values that an audit knows, those most like a given one first.
-- Note:   The coarser values of a hierarchy are among them.
with
    known as (
        select value
        from model.domain
        where audit_id = $audit_id
        union
        select value
        from model.bucket_value_count
        where audit_id = $audit_id
        union
        select leaf as value
        from result.value_leaf
        where audit_id = $audit_id
    )

select value
from known
order by levenshtein(lower(value), lower($value)), value
