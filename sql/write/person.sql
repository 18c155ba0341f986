-- What:   Store the persons of a release who were not known yet.
-- Note:   Persons without an id belong to their release alone and are called after it and their row; a counted row makes several.
insert into published.person (person_id, dataset_id, release_id, person)
select
    $person_base + i.record,
    $dataset_id,
    $person_release_id,
    case
        when $is_followed then cast(i.person as varchar)
        else $owner || '#' || i.row || coalesce('.' || i.copy, '')
    end
from incoming as i
where not $is_followed or i.record in (select r.record from incoming_record as r where r.is_new)
