-- What:   Events of no schedule, in no known state, or last seen before they were first.
-- Note:   What is registered has the digest of its files. Where a clock was set back, the last time is kept at the first.
select e.event_id, e.manifest, e.state
from schedule.event as e
left join schedule.schedule as s on e.schedule_id = s.schedule_id
where
    s.schedule_id is null or e.state not in ('waiting', 'refused', 'registered') or e.last_at < e.first_at
    or (e.state = 'registered') <> (e.release_digest is not null)
