-- What:   The schedules for which a round has something to do: those that are due, that have a dead run, or that have something left to tell.
-- Note:   One that was often killed comes after the others, so that it cannot keep them from their turn.
with
    dead as (
        select schedule_id, count(*) filter (where status = 'running') as running_count
        from schedule.run
        group by schedule_id
    ),

    untold as (
        select schedule_id, count(*) as untold_count
        from schedule.breach
        where status in ('pending', 'failing')
        group by schedule_id
    ),

    killed as (
        select s.schedule_id, count(*) as killed_count
        from schedule.schedule as s
        inner join schedule.run as r on s.schedule_id = r.schedule_id and s.next_due <= r.started_at and r.status <> 'finished'
        group by s.schedule_id
    ),

    work as (
        select
            s.schedule_id,
            s.schedule,
            s.next_due,
            s.on_breach is not null as has_command,
            s.paused_at is null and s.next_due <= $now as is_due,
            coalesce(d.running_count, 0) > 0 as is_dead,
            s.paused_at is null and coalesce(u.untold_count, 0) > 0 as is_untold,
            coalesce(k.killed_count, 0) as killed_count
        from schedule.schedule as s
        left join dead as d on s.schedule_id = d.schedule_id
        left join untold as u on s.schedule_id = u.schedule_id
        left join killed as k on s.schedule_id = k.schedule_id
    )

select schedule_id, schedule, is_due, is_dead, has_command
from work
where is_due or is_dead or is_untold
order by killed_count, next_due, schedule_id
