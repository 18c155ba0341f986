-- What:   The persons of a dataset whose names are most like one.
-- Note:   For a message about a name that nobody has. Names that were removed and are kept for old audits are not among them.
select person
from published.person
where
    dataset_id = $dataset_id
    and (person_id not in (select q.person_id from result.named_qi as q) or person_id in (select a.person_id from adversary.named_person as a))
order by damerau_levenshtein(person, $person), person
limit 3
