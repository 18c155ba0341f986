-- What:   Make every schedule due whose run died.
-- Note:   Only while the round's lock is held: a run that is still marked as running then belongs to nobody.
update schedule.schedule
set next_due = least(next_due, $now)
where schedule_id in (select r.schedule_id from schedule.run as r where r.status = 'running')
