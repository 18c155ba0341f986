-- What:   For each sensitive column whether all its parts are whole numbers, or numbers, written as such.
-- Note:   007 is text, and so is 1e5.
select
    column_name,
    case
        when bool_and(coalesce(cast(try_cast(part as hugeint) as varchar) = part, false)) then 'HUGEINT'
        when bool_and(coalesce(cast(try_cast(part as double) as varchar) in (part, part || '.0'), false)) then 'DOUBLE'
        else 'VARCHAR'
    end as type
from statement_part
group by column_name
