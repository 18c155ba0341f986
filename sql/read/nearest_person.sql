-- What:   The persons of a dataset whose names are most like one.
-- Note:   For a message about a name that nobody has.
select person
from published.person
where dataset_id = $dataset_id
order by damerau_levenshtein(person, $person), person
limit 3
