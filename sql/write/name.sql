-- What:   Store a named person.
-- Note:   A name that was removed and is kept for old audits comes back as the same person.
insert into adversary.named_person (person_id, dataset_id, person, qi, added_at)
values ($person_id, $dataset_id, $person, $qi, now() at time zone 'UTC')
