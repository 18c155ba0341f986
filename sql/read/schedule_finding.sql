-- What:   The findings of an audit, gravest first.
-- Note:   Not more than a command can take in.
select policy_rule, person, value, measure, threshold
from report.finding
where audit_id = $audit_id
order by measure desc, person asc, value asc, policy_rule asc
limit $limit
