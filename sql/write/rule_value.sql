-- What:   Keep the value that each rule counts, where it is possible in the audit.
-- Note:   A coarser value counts its leaves.
insert into result.statement_value (audit_id, statement_id, term, value)
select $audit_id, r.rule_id, 1, d.value
from assumed_rule as r
left join result.value_leaf as l on l.audit_id = $audit_id and r.value = l.value
inner join model.domain as d on d.audit_id = $audit_id and d.value = coalesce(l.leaf, r.value)
where r.rule_id in (select f.rule_id from assumed_fit as f)
