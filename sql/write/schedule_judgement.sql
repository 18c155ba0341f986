-- What:   Keep what a run found of the history, or of a candidate.
-- Note:   It counts only once its run is finished.
insert into schedule.judgement (run_id, candidate, audit_id, is_repeated, verdict, finding_count, finding_digest, message)
values ($run_id, $candidate, $audit_id, $is_repeated, $verdict, $finding_count, $finding_digest, $message)
