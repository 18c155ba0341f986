-- What:   Runs of no schedule, of no known kind or state, or with times that contradict them.
-- Note:   A run that is marked as running is in order: it runs, or the next round will find it dead. Where a clock was set back, the end is kept at the beginning.
select r.run_id, r.schedule_id, r.status
from schedule.run as r
left join schedule.schedule as s on r.schedule_id = s.schedule_id
where
    s.schedule_id is null or r.status not in ('running', 'finished', 'failed') or r.trigger not in ('due', 'now')
    or (r.status = 'running') <> (r.finished_at is null) or (r.trigger = 'due') <> (r.due_at is not null)
    or (r.status = 'failed' and r.message is null) or r.finished_at < r.started_at
