-- What:   Schedules with an impossible limit, or whose name another one has.
-- Note:   A schedule whose dataset was removed is in order: its runs say so. Times may contradict each other: clocks are set back.
select schedule_id, schedule
from schedule.schedule
where
    not coalesce(max_probability between 0 and 1, true) or not breach_timeout > 0
    or schedule in (select s.schedule from schedule.schedule as s group by s.schedule having count(*) > 1)
