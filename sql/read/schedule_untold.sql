-- What:   What the command of a schedule has still to be told: what was tried least first, then oldest first.
-- Note:   Including what it was told before without success. It is told from the first run that found it and whose audit is still there.
select
    b.breach_key,
    b.occurrence,
    s.schedule,
    s.dataset,
    s.adversary,
    s.max_probability,
    s.on_breach,
    s.breach_timeout,
    j.run_id,
    b.candidate,
    j.audit_id,
    a.releases,
    j.verdict,
    j.finding_count,
    j.message,
    j.audit_id is not null and a.audit_id is null as is_gone
from schedule.breach as b
inner join schedule.schedule as s on b.schedule_id = s.schedule_id
inner join schedule.judgement as j on b.breach_key = j.breach_key
left join result.audit as a on j.audit_id = a.audit_id
where b.schedule_id = $schedule_id and b.status in ('pending', 'failing')
qualify row_number() over (partition by b.breach_key order by is_gone, j.run_id) = 1
order by b.attempt_count, b.run_id, b.candidate nulls first
