-- What:   What a run of a schedule audits: the published history, and each watched candidate that is still one.
-- Note:   A candidate that was taken back, or registered anew by hand from other files, is not the one that was laid into the folder.
with
    dataset as (
        select d.dataset_id, d.dataset
        from schedule.schedule as s
        inner join published.dataset as d on s.dataset = d.dataset
        where s.schedule_id = $schedule_id
    )

select null as candidate, null as digest, null as published_on
from dataset as d
where exists (select 1 from published.release as r where d.dataset_id = r.dataset_id and r.state in ('published', 'withdrawn'))
union all
select r.release as candidate, r.digest, r.published_on
from dataset as d
inner join published.release as r on d.dataset_id = r.dataset_id and r.state = 'candidate'
semi join schedule.event as e
    on e.schedule_id = $schedule_id and e.state = 'registered' and r.release = e.release and r.digest = e.release_digest
order by published_on nulls first, candidate nulls first
