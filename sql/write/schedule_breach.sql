-- What:   Keep that something has to be told.
-- Note:   Written together with the end of its run: from then on it is told at least once, whoever is killed.
insert into schedule.breach (breach_key, schedule_id, run_id, candidate, finding_digest, occurrence, status, attempt_count)
values ($breach_key, $schedule_id, $run_id, $candidate, $finding_digest, $occurrence, 'pending', 0)
