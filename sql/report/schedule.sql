-- What:   The schedules, with when they run next and what became of the last run.
-- Grain:  schedule
-- Source: DESIGN 3
-- Note:   Times are UTC. A schedule whose dataset was removed stays, and its runs fail until it is removed too.
create view report.schedule as
with
    last_run as (
        select schedule_id, started_at, status
        from schedule.run
        qualify row_number() over (partition by schedule_id order by run_id desc) = 1
    )

select
    s.schedule,        -- name
    s.dataset,         -- what is audited
    s.cron,            -- when, in the five fields of cron
    s.time_zone,       -- whose clock these are read on
    s.adversary,       -- whose knowledge is assumed
    s.max_probability, -- the limit; null where nothing is judged
    s.watch_folder,    -- where candidates are laid down; null for none
    s.on_breach,       -- the command that is told; null for none
    s.breach_timeout,  -- seconds after which that command is ended
    s.next_due,        -- when it runs next
    s.paused_at is not null as is_paused, -- whether it rests
    l.started_at as last_started_at,      -- when it last began to run
    l.status as last_status,              -- running, finished or failed
    s.added_at         -- when it was made
from schedule.schedule as s
left join last_run as l on s.schedule_id = l.schedule_id;
