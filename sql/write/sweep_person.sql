-- What:   Forget persons who stand in no release, in no population and in no audit.
-- Note:   Runs after a release or an audit was removed.
delete from published.person
where
    person_id not in (select person_id from published.member)
    and person_id not in (select person_id from published.population)
    and person_id not in (select person_id from result.subject_person)
