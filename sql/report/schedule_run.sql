-- What:   What the runs of schedules found: of the published history, and of each candidate on top of it.
-- Grain:  run_id, candidate
-- Source: DESIGN 3
-- Note:   Times are UTC. A run that failed, or found nothing to audit, has one row without an audit. A failed run is unknown, never a pass.
create view report.schedule_run as
select
    r.run_id,          -- the run; in order of their beginning
    s.schedule,        -- of which schedule
    s.dataset,         -- what was audited
    r.trigger,         -- due, or now where somebody asked for it
    r.due_at,          -- when it was due; null where somebody asked for it
    r.started_at,      -- when it began
    r.finished_at,     -- when it ended, or was found dead
    r.status,          -- running, finished or failed
    j.candidate,       -- the candidate, or null for the published history alone
    case when r.status = 'failed' then 'unknown' when r.status = 'finished' then j.verdict end as verdict, -- pass, breach, unjudged or unknown
    j.finding_count,   -- rows in report.finding
    j.audit_id,        -- the audit; null where none could be made
    j.is_repeated,     -- whether that is an earlier audit, because nothing had changed since
    coalesce(j.message, r.message) as message, -- in words
    j.breach_key,      -- the key under which the command was told
    b.status as breach_status,  -- pending, told, failing (tried again in the next round) or void (nothing left to tell)
    b.attempt_count,            -- how often the command was run for it
    b.exit_code as breach_exit_code, -- how the command last ended
    b.message as breach_message -- the last lines of its stderr, or why it could not be run
from schedule.run as r
inner join schedule.schedule as s on r.schedule_id = s.schedule_id
left join schedule.judgement as j on r.run_id = j.run_id
left join schedule.breach as b on j.breach_key = b.breach_key;
