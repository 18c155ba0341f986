-- What:   Files that do not carry exactly one store id, or not the same one.
-- Note:   Both files name the store that they belong to; a foreign truth would be measured against the wrong persons.
with
    carried as (
        select 'audit' as file, store_id from main.store
        union all
        select 'original' as file, store_id from original.main.store
    )

select
    string_agg(file, ', ' order by file) as files,
    count(distinct store_id) as id_count,
    count(*) as row_count
from carried
having count(*) <> 2 or count(distinct store_id) <> 1 or count(distinct file) <> 2
