-- What:   Make a schedule.
-- Note:   Its first run is the first moment after it was made.
insert into schedule.schedule (
    schedule_id, schedule, dataset, cron, time_zone, adversary, max_probability, watch_folder, on_breach, breach_timeout, added_at, next_due
)
values (
    nextval('schedule.schedule_key'), $schedule, $dataset, $cron, $time_zone, $adversary, $max_probability, $watch_folder, $on_breach,
    $breach_timeout, $added_at, $next_due
)
