-- What:   A number for each value of a quasi-identifier that enough persons have, in order, from 1 within its column.
-- Note:   Follows pattern_item. A rule needs no fewer persons than its rarest value has: others cannot be part of one.
create or replace temp table pattern_code as
with
    held as (
        select qi_id, sum(person_count) as person_count
        from mining_truth
        group by qi_id
    ),

    frequent as (
        select i.column_name, i.item
        from pattern_item as i
        inner join held as h on i.qi_id = h.qi_id
        where i.item is not null
        group by i.column_name, i.item
        having sum(h.person_count) >= $min_support
    )

select column_name, item, row_number() over (partition by column_name order by item asc) as code
from frequent
