-- What:   Forget persons who stand in no release, in no population and in no audit, and are not named.
-- Note:   Runs after a release, an audit or a name was removed.
delete from published.person
where
    person_id not in (select person_id from published.member)
    and person_id not in (select person_id from published.population)
    and person_id not in (select person_id from result.subject_person)
    and person_id not in (select person_id from adversary.named_person)
    and person_id not in (select person_id from result.named_qi)
