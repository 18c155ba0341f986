-- What:   Files that do not say once which text of the views is loaded.
-- Note:   One row, replaced whenever the views are.
with
    said as (
        select 'audit' as file, count(*) as row_count from main.loaded_view
        union all
        select 'original' as file, count(*) as row_count from original.main.loaded_view
    )

select file, row_count
from said
where row_count <> 1
