-- What:   What was seen in the folders that schedules watch.
-- Grain:  event_id
-- Source: DESIGN 3
-- Note:   Times are UTC. The last event of a manifest is its state; what is seen again unchanged only renews last_at.
create view report.schedule_event as
select
    e.event_id, -- in order
    s.schedule, -- whose folder
    s.dataset,  -- of which dataset
    e.run_id,   -- the run that saw it first
    e.first_at, -- when it was first seen
    e.last_at,  -- when it was last seen
    e.manifest, -- name of the manifest
    e.state,    -- waiting (tried again in the next run), refused (until the manifest changes) or registered
    e.release,  -- name of the release, once it can be read
    e.message   -- in words
from schedule.event as e
inner join schedule.schedule as s on e.schedule_id = s.schedule_id;
