-- What:   Loads of microdata that no dataset and no release names.
-- Note:   What a crash left behind; the next load sweeps it away.
select m.load_id, count(*) as row_count
from original.main.microdata as m
left join published.dataset as d on m.load_id = d.load_id
left join published.release as r on m.load_id = r.load_id
where d.dataset_id is null and r.release_id is null
group by m.load_id
