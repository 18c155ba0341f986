-- What:   The rules that still speak of the persons from whom they were mined.
-- Note:   Follows write/assumed_match. Where quasi-identifiers changed since, so that somebody meets a rule's condition who did not, or does not who did, its figure is not one about the persons in scope.
create or replace temp table assumed_fit as
with
    unlike as (
        select o.rule_id
        from assumed_moved as v
        inner join assumed_match as o on v.mined_qi_id = o.qi_id
        left join assumed_match as n on v.qi_id = n.qi_id and o.rule_id = n.rule_id
        where n.rule_id is null
        union
        select n.rule_id
        from assumed_moved as v
        inner join assumed_match as n on v.qi_id = n.qi_id
        left join assumed_match as o on v.mined_qi_id = o.qi_id and n.rule_id = o.rule_id
        where o.rule_id is null
    )

select r.rule_id
from assumed_rule as r
left join assumed_match as m on r.rule_id = m.rule_id
left join assumed_base as b on m.qi_id = b.qi_id
where r.rule_id not in (select u.rule_id from unlike as u)
group by r.rule_id, r.person_count
having coalesce(sum(b.person_count), 0) = r.person_count
