-- What:   Keep how a command ended that was told of something.
-- Note:   Anything but success is tried again in the next round.
update schedule.breach
set status = $status, attempt_count = attempt_count + $attempts, last_at = $now, exit_code = $exit_code, message = $message
where breach_key = $breach_key
