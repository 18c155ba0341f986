-- What:   Store the parts of values that occur only as leaves of coarser ones.
-- Note:   Follows write/value_leaf.
insert into published.value_part (dataset_id, value, column_name, part)
with
    fresh as (
        select leaf, any_value(parts) as parts
        from coarse_value_leaf
        where leaf not in (select p.value from published.value_part as p where p.dataset_id = $dataset_id)
        group by leaf
    )

select
    $dataset_id,
    f.leaf,
    c.column_name,
    f.parts[c.position]
from fresh as f
inner join published.dataset_column as c on c.dataset_id = $dataset_id and c.role = 'sensitive'
