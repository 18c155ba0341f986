-- What:   Of whose persons the rules of an adversary speak, and how many rules there are.
-- Note:   All rules of an adversary about a dataset were mined together. The release's name is kept even if it was removed since.
select
    r.over_release_id,
    any_value(e.release) as release,
    count(*) filter (where r.is_positive) as positive_count,
    count(*) filter (where not r.is_positive) as negative_count
from adversary.rule as r
left join published.release as e on r.over_release_id = e.release_id
where r.dataset_id = $dataset_id and r.adversary = $adversary
group by r.over_release_id
