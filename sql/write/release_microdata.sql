-- What:   Store the truth of the persons of a release, in the file of the truth.
-- Note:   It counts once the audit file names this load. New persons are numbered by record, as write/incoming_record does.
insert into original.main.microdata (load_id, person_id, value)
select $load_id, coalesce(p.person_id, $person_base + i.record), y.value
from incoming as i
inner join incoming_identity as y on cast(i.person as varchar) = case when $values_may_change then y.name else y.identity end
left join published.person as p on p.dataset_id = $dataset_id and p.release_id is null and cast(i.person as varchar) = p.person
