-- What:   Store the persons of a population.
-- Note:   Without an id they are called after their row.
insert into published.person (person_id, dataset_id, release_id, person)
select
    $person_base + record,
    $dataset_id,
    null,
    coalesce(cast(person as varchar), 'population#' || row)
from incoming
