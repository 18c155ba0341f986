-- What:   Mark the runs that died as failed.
-- Note:   Only while the round's lock is held: a run that is still marked as running then belongs to nobody. A paused schedule does not repeat it.
update schedule.run
set
    status = 'failed',
    finished_at = greatest(started_at, $now),
    message = concat(
        'it did not end: ', process, ' was killed, interrupted or broke down. ',
        if(s.paused_at is null, 'It is repeated.', 'It is not repeated: the schedule is paused.')
    )
from schedule.schedule as s
where schedule.run.status = 'running' and schedule.run.schedule_id = s.schedule_id
