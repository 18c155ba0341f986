-- What:   Say of each thing that a run found under which key it was told, now or before.
-- Note:   The same findings as in the run before keep their key, unless there was nothing left to tell under it.
update schedule.judgement
set breach_key = b.breach_key
from schedule.breach as b
where
    schedule.judgement.run_id = $run_id and b.schedule_id = $schedule_id and b.status <> 'void'
    and b.candidate is not distinct from schedule.judgement.candidate and b.finding_digest = schedule.judgement.finding_digest
    and b.occurrence = (
        select max(l.occurrence)
        from schedule.breach as l
        where l.schedule_id = b.schedule_id and l.candidate is not distinct from b.candidate and l.finding_digest = b.finding_digest
    )
