-- What:   Keep the single term of each rule that an audit assumes.
-- Note:   A number of persons: the rule's own figure.
insert into result.statement_term (
    audit_id, statement_id, term, coefficient, is_count, matched_by, person_count, over_release_id, is_over_population
)
select $audit_id, r.rule_id, 1, 1.0, true, 'qi', r.person_count, $over_release_id, $is_over_population
from assumed_rule as r
where r.rule_id in (select f.rule_id from assumed_fit as f)
