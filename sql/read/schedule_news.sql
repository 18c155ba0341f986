-- What:   What a run found that its schedule's command has to be told: findings that are others than those of the last run before, or that were never told.
-- Note:   Findings that were gone and came back are told again, and counted in occurrence, so that nobody takes them for a repeat. They were gone if a run
--         finished without them, be it that their candidate was not there. A run that failed knows nothing of them; it is compared with any run that had something to say.
with
    previous as (
        select max(r.run_id) as run_id
        from schedule.run as r
        inner join schedule.run as this on this.run_id = $run_id
        where
            r.schedule_id = $schedule_id and r.run_id < $run_id
            and (r.status = 'finished' or (this.status = 'failed' and r.run_id in (select j.run_id from schedule.judgement as j)))
    ),

    earlier as (
        select j.candidate, j.finding_digest
        from schedule.judgement as j
        inner join previous as p on j.run_id = p.run_id
        inner join schedule.breach as b on j.breach_key = b.breach_key and b.status <> 'void'
    )

select
    j.candidate,
    j.finding_digest,
    1 + (
        select count(*)
        from schedule.breach as b
        where b.schedule_id = $schedule_id and b.candidate is not distinct from j.candidate and b.finding_digest = j.finding_digest
    ) as occurrence
from schedule.judgement as j
left join earlier as e on j.candidate is not distinct from e.candidate
where j.run_id = $run_id and j.finding_digest is not null and j.finding_digest is distinct from e.finding_digest
order by j.candidate nulls first
