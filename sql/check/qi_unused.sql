-- What:   Combinations of quasi-identifiers that nobody has.
-- Note:   They are forgotten with the last release or audit that needed them.
select qi_id, tuple
from published.qi
where
    qi_id not in (select m.qi_id from published.member as m)
    and qi_id not in (select p.qi_id from published.population as p)
    and qi_id not in (select s.qi_id from result.subject_person as s)
