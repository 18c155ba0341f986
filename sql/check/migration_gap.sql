-- What:   Numbered changes that are missing before a later one.
-- Note:   Changes are applied in order, and each file records its own.
with
    applied as (
        select 'audit' as file, number, name from main.migration
        union all
        select 'original' as file, number, name from original.main.migration
    ),

    counted as (
        select
            file,
            number,
            name,
            row_number() over (partition by file order by number) as position
        from applied
    )

select file, number, name
from counted
where number <> position
