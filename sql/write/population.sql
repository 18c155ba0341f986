-- What:   Store who is known to be in the data.
-- Note:   Exact quasi-identifiers, whatever releases show of them.
insert into published.population (dataset_id, person_id, qi_id)
select $dataset_id, $person_base + record, qi_id
from incoming_with_qi
