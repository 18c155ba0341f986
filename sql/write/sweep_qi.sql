-- What:   Forget quasi-identifiers that nobody has any more.
-- Note:   Runs after a release or an audit was removed.
delete from published.qi
where
    qi_id not in (select qi_id from published.member)
    and qi_id not in (select qi_id from published.population)
    and qi_id not in (select qi_id from result.subject_person)
