-- What:   The sensitive values that a person may have of whom no release in scope says anything.
-- Grain:  audit_id, value
-- Source: DESIGN: the declared domain; otherwise the values of the microdata and of the releases in scope
-- Note:   A declared domain is the last word: a release with another value is refused when it is registered. Of a coarser value the leaves are told.
create view model.domain as
with
    declared as (
        select a.audit_id, d.value
        from result.audit as a
        inner join published.domain_value as d on a.dataset_id = d.dataset_id
        where d.source = 'declared'
    ),

    seen as (
        select a.audit_id, d.value
        from result.audit as a
        inner join published.domain_value as d on a.dataset_id = d.dataset_id
        where d.source = 'microdata'
        union
        select audit_id, value
        from model.bucket_value_count
    ),

    known as (
        select audit_id, value
        from declared
        union
        select s.audit_id, s.value
        from seen as s
        where not exists (select 1 from declared as d where d.audit_id = s.audit_id)
    )

select distinct
    k.audit_id, -- the audit
    coalesce(l.leaf, k.value) as value -- a value that is possible
from known as k
left join result.value_leaf as l on k.audit_id = l.audit_id and k.value = l.value;
