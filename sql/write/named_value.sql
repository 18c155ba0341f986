-- What:   The named persons of a dataset with the quasi-identifiers that were given, one row for each.
-- Note:   A text that is null is a missing value; a column that was not given has no row.
create or replace temp table named_value as
select n.person_id, n.person, g.key as column_name, g.value ->> '$' as text
from adversary.named_person as n, json_each(n.qi) as g
where n.dataset_id = $dataset_id
