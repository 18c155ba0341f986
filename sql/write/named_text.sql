-- What:   The texts of the quasi-identifiers in named_tuple, column by column.
-- Note:   Follows write/named_value. Only the columns that were given of somebody. As published.qi compares them: 31 and 31.0 are the same text.
create or replace temp table named_text as
select distinct t.qi_id, g.key as column_name, g.value ->> '$' as text
from named_tuple as t
inner join published.qi as q on t.qi_id = q.qi_id, json_each(q.tuple) as g
where g.key in (select v.column_name from named_value as v)
