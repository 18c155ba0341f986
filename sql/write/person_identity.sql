-- What:   Keep the id of persons who are called otherwise because a value has changed.
-- Note:   Follows write/person.
update published.person
set identity = y.identity
from incoming_identity as y
where published.person.dataset_id = $dataset_id and published.person.person = y.name and y.name <> y.identity
