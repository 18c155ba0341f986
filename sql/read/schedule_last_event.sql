-- What:   The last that was seen of each manifest in a schedule's folder.
-- Note:   It decides whether there is anything new to do, and anything new to say. Events of a dataset that was removed, and declared again since, do not count.
select e.event_id, e.manifest, e.manifest_digest, e.state, e.message
from schedule.event as e
where e.schedule_id = $schedule_id and coalesce(e.dataset_id = $dataset_id, true)
qualify row_number() over (partition by e.manifest order by e.event_id desc) = 1
