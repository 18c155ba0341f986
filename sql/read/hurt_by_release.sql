-- What:   Whose value became more probable from one audit to another with more releases, most of all first.
-- Note:   The most probable value of each person.
select
    person,
    value,
    before,
    after
from report.inference_channel
where audit_id = $audit_id and baseline_audit_id = $baseline_audit_id and after > before
qualify row_number() over (partition by person order by after - before desc, value asc) = 1
order by after - before desc, length(person) asc, person asc
limit $person_count
