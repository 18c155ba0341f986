-- What:   Findings of a run that has ended for which its schedule's command was never to be told.
-- Note:   What has to be told is stored together with the end of its run. There is nothing left to tell (void) only where the audit was removed.
select j.run_id, j.candidate, s.schedule
from schedule.judgement as j
inner join schedule.run as r on j.run_id = r.run_id and r.status <> 'running'
inner join schedule.schedule as s on r.schedule_id = s.schedule_id and s.on_breach is not null
left join schedule.breach as b on j.breach_key = b.breach_key
left join result.audit as a on j.audit_id = a.audit_id
where j.finding_digest is not null and (b.breach_key is null or (b.status = 'void' and (j.audit_id is null or a.audit_id is not null)))
