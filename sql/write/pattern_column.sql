-- What:   Where the number of each column's value stands in the number of a whole pattern: bit by bit, the first column by name in front.
-- Note:   Follows pattern_code. Numbers of patterns over the same columns are then in the order of their names, and `&` with masks takes columns out.
create or replace temp table pattern_column as
with
    wide as (
        select
            column_name,
            length(bin(count(*))) as bits,
            row_number() over (order by column_name asc) as position
        from pattern_code
        group by column_name
    ),

    placed as (
        select
            column_name,
            bits,
            count(*) over () - position as place,
            coalesce(sum(bits) over (order by position desc rows between unbounded preceding and 1 preceding), 0) as shift
        from wide
    )

select
    column_name,
    cast(bits as integer) as bits,
    cast(1 as bigint) << cast(place as integer) as bit,
    cast(shift as integer) as shift,
    ((cast(1 as hugeint) << cast(bits as integer)) - 1) << cast(shift as integer) as mask
from placed
