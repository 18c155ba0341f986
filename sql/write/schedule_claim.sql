-- What:   Begin a run.
-- Note:   Its schedule stays due until the run has ended, so that a run that dies is repeated.
insert into schedule.run (run_id, schedule_id, trigger, due_at, started_at, status, process)
values ($run_id, $schedule_id, $trigger, $due_at, $started_at, 'running', $process)
