-- What:   How many persons stand in no release in scope while their possible values come from the microdata.
-- Note:   Zero where a domain was declared, or where the releases in scope show every value of the microdata.
with
    outside as (
        select coalesce(cast(sum(s.person_count) as bigint), 0) as person_count
        from result.subject as s
        left join result.subject_bucket as b on s.audit_id = b.audit_id and s.subject_id = b.subject_id
        where s.audit_id = $audit_id and b.subject_id is null
    ),

    borrowed as (
        select count(*) as value_count
        from result.audit as a
        inner join published.domain_value as d on a.dataset_id = d.dataset_id
        where
            a.audit_id = $audit_id
            and d.source = 'microdata'
            and d.value in (select m.value from model.domain as m where m.audit_id = $audit_id)
            and d.value not in (select f.leaf from model.figure_leaf as f where f.audit_id = $audit_id)
            and not exists (
                select 1 from published.domain_value as e
                where e.dataset_id = a.dataset_id and e.source = 'declared'
            )
    )

select case when b.value_count > 0 then o.person_count else 0 end as person_count
from outside as o
cross join borrowed as b
