-- What:   End a run.
-- Note:   Together with what it has to tell and with when its schedule is due next. A clock that was set back meanwhile does not let it end before it began.
update schedule.run
set status = $status, finished_at = greatest(started_at, $now), message = $message
where run_id = $run_id
