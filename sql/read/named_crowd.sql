-- What:   Pools of an audit with more named persons than records.
-- Note:   Follows write/named_qi, while named_tuple is there.
with
    pool_qi as (
        select distinct p.pool_id, q.qi_id
        from result.named_qi as q
        inner join model.named_pool as p on q.audit_id = p.audit_id and q.person_id = p.person_id
        where q.audit_id = $audit_id
    ),

    room as (
        select p.pool_id, sum(t.record_count) as record_count
        from pool_qi as p
        inner join named_tuple as t on p.qi_id = t.qi_id
        group by p.pool_id
    )

select cast(any_value(r.record_count) as bigint) as record_count, list(n.person order by n.person) as persons
from model.named_pool as p
inner join room as r on p.pool_id = r.pool_id
inner join published.person as n on p.person_id = n.person_id
where p.audit_id = $audit_id
group by p.pool_id
having count(*) > any_value(r.record_count)
