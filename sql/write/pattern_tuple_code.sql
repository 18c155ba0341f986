-- What:   Each combination of quasi-identifiers as one number, and which columns are in it.
-- Note:   Follows write/pattern_column. A value without a number of its own counts as none.
create or replace temp table pattern_tuple_code as
with
    part as (
        select i.qi_id, c.bit, cast(k.code as hugeint) << c.shift as code
        from pattern_item as i
        inner join pattern_code as k on i.column_name = k.column_name and i.item = k.item
        inner join pattern_column as c on i.column_name = c.column_name
    )

select
    t.qi_id,
    cast(coalesce(sum(p.bit), 0) as bigint) as columns,
    coalesce(sum(p.code), 0) as code
from pattern_tuple as t
left join part as p on t.qi_id = p.qi_id
group by t.qi_id
