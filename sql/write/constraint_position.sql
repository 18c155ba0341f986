-- What:   Number the constraints as the solver's matrix has them.
-- Note:   Positions begin at 0 and exist only while the problem is built. Numbering what is already sorted needs no second sort.
create or replace temp table constraint_position as
with
    sorted as (
        select
            constraint_key,
            lower,
            upper,
            family,
            block,
            bucket_id,
            value,
            statement_id
        from model.constraint_bound
        where audit_id = $audit_id
        order by bucket_id, value, constraint_key
    )

select
    row_number() over () - 1 as position,
    constraint_key,
    lower,
    upper,
    family,
    block,
    bucket_id,
    value,
    statement_id
from sorted
