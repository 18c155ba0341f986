-- What:   Persons who stand in no release, in no population and in no audit, and are not named.
-- Note:   They are forgotten with the last release or audit that needed them.
select person_id, person
from published.person
where
    person_id not in (select m.person_id from published.member as m)
    and person_id not in (select p.person_id from published.population as p)
    and person_id not in (select s.person_id from result.subject_person as s)
    and person_id not in (select a.person_id from adversary.named_person as a)
    and person_id not in (select q.person_id from result.named_qi as q)
