-- What:   What values mean that a file spells in its own way.
-- Note:   Two columns: as published, means. Three: the sensitive column that is meant comes first.
create or replace temp table value_map as
select
    min(row) as row,
    case when len(parts) = 3 then parts[1] end as column_name,
    parts[len(parts) - 1] as published,
    parts[len(parts)] as means
from incoming_map
group by all
