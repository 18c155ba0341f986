-- What:   Judgements of no run, twice in a run, of no known verdict, or with another verdict than their audit.
-- Note:   An audit may have been removed since; what was found then is in order.
select j.run_id, j.candidate, j.verdict
from schedule.judgement as j
left join schedule.run as r on j.run_id = r.run_id
left join result.audit as a on j.audit_id = a.audit_id
where
    r.run_id is null or j.verdict not in ('pass', 'breach', 'unjudged', 'unknown')
    or j.verdict <> a.verdict or (j.audit_id is null and j.verdict <> 'unknown')
    or (j.finding_digest is not null) <> (j.verdict in ('breach', 'unknown'))
    or (select count(*) from schedule.judgement as k where k.run_id = j.run_id and k.candidate is not distinct from j.candidate) > 1
