-- What:   Store the parts of the values that were not seen before.
-- Note:   One sensitive column: the value is its own part.
insert into published.value_part (dataset_id, value, column_name, part)
with
    fresh as (
        select value, parts
        from incoming_distinct_value
        where value not in (select p.value from published.value_part as p where p.dataset_id = $dataset_id)
    )

select
    $dataset_id,
    f.value,
    c.column_name,
    case when f.parts is null then f.value else f.parts[c.position] end
from fresh as f
inner join published.dataset_column as c on c.dataset_id = $dataset_id and c.role = 'sensitive'
