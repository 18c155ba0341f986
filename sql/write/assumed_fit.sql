-- What:   The rules that still speak of as many persons as when they were mined.
-- Note:   Where quasi-identifiers changed since, a rule's figure is not one about the persons in scope.
create or replace temp table assumed_fit as
select r.rule_id
from assumed_rule as r
left join assumed_match as m on r.rule_id = m.rule_id
left join assumed_base as b on m.qi_id = b.qi_id
group by r.rule_id, r.person_count
having coalesce(sum(b.person_count), 0) = r.person_count
