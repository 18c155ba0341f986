-- What:   Delete what the runs of a schedule found.
-- Note:   For a schedule that is removed; its audits stay.
delete from schedule.judgement
where run_id in (select r.run_id from schedule.run as r where r.schedule_id = $schedule_id)
