-- What:   The schedules that are not due yet, with the time for which each last ran.
-- Note:   To find those that were noted while a clock was ahead.
select s.schedule, s.cron, s.time_zone, s.next_due, max_by(r.due_at, r.run_id) as last_due
from schedule.schedule as s
left join schedule.run as r on s.schedule_id = r.schedule_id and r.due_at is not null
where s.paused_at is null and s.next_due > $now
group by all
