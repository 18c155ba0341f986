-- What:   Datasets and releases that name a load of microdata which is not there.
-- Note:   The truth is written before what names it.
with
    named as (
        select 'dataset' as kind, dataset as name, load_id
        from published.dataset
        where load_id is not null
        union all
        select 'release', release, load_id
        from published.release
        where load_id is not null
    )

select n.kind, n.name, n.load_id
from named as n
left join original.main.microdata as m on n.load_id = m.load_id
where m.load_id is null
