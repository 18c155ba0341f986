-- What:   What each value of a file becomes that a map renames.
-- Note:   Follows write/value_map; unmapped are the different values of the file. Part by part where several columns are sensitive.
create or replace temp table value_mapping as
with
    part as (
        select
            u.value,
            c.position,
            c.column_name,
            case when u.parts is null then u.value else u.parts[c.position] end as part
        from unmapped as u
        inner join published.dataset_column as c on c.dataset_id = $dataset_id and c.role = 'sensitive'
    ),

    mapped as (
        select
            p.value,
            p.position,
            p.column_name,
            coalesce(m.means, p.part) as means,
            m.means is not null as is_mapped
        from part as p
        left join value_map as m on p.part = m.published and coalesce(m.column_name, p.column_name) = p.column_name
    )

select
    value,
    case when count(*) = 1 then any_value(means) else string_agg(column_name || '=' || means, '; ' order by position) end as mapped_value,
    case when count(*) > 1 then list(means order by position) end as mapped_parts
from mapped
group by value
having bool_or(is_mapped)
