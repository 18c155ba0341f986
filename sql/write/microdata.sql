-- What:   Store the truth, in the file of the truth.
-- Note:   It counts once the audit file names this load.
insert into original.main.microdata (load_id, person_id, value)
select $load_id, $person_base + record, value
from incoming
