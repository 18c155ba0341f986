-- What:   The named persons of a dataset, with the quasi-identifiers that were given and a digest of name and description.
-- Note:   In the order in which they were named.
select person_id, person, qi, added_at, sha256(person || chr(31) || qi) as digest
from adversary.named_person
where dataset_id = $dataset_id
order by added_at, person
