-- What:   Units that are neither person nor record.
-- Note:   Of datasets, releases and audits.
with
    said as (
        select 'dataset' as kind, dataset_id as id, unit from published.dataset
        union all
        select 'release' as kind, release_id as id, unit from published.release
        union all
        select 'audit' as kind, audit_id as id, unit from result.audit
    )

select kind, id, unit
from said
where unit not in ('person', 'record')
