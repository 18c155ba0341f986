-- What:   Keep what was seen of a manifest.
-- Note:   Seen again and unchanged, only its last time is renewed.
insert into schedule.event (
    event_id, schedule_id, run_id, first_at, last_at, manifest, manifest_digest, state, release, release_digest, message, dataset_id
)
values (
    nextval('schedule.event_key'), $schedule_id, $run_id, $at, $at, $manifest, $manifest_digest, $state, $release, $release_digest, $message,
    $dataset_id
)
