-- What:   Find the key of each incoming combination of quasi-identifiers.
-- Note:   Kept apart from the records: there are far fewer combinations than records. How many columns there are is the user's affair.
create or replace temp table incoming_qi_key as
select i.* exclude (qi, tuple), q.qi_id -- noqa: AM04, RF02
from incoming_qi as i
inner join published.qi as q on q.dataset_id = $dataset_id and i.tuple = q.tuple
