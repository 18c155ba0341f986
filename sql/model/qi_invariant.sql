-- What:   How many persons of each combination of quasi-identifiers stand in a bucket.
-- Grain:  audit_id, bucket_id, qi_id
-- Source: Privacy-MaxEnt, section 4.1 (QI-invariant): the sum over s of P(q, s, b) is P(q, b)
-- Note:   The solver needs no rows for it: each subject's probabilities sum to one by construction (MATHS 4).
create view model.qi_invariant as
select
    m.audit_id,   -- the audit
    m.release_id, -- the release
    m.bucket_id,  -- the bucket
    s.qi_id,      -- the quasi-identifiers
    count(*) as person_count -- persons who have them
from model.member_in_scope as m
inner join result.subject_person as s on m.audit_id = s.audit_id and m.person_id = s.person_id
group by m.audit_id, m.release_id, m.bucket_id, s.qi_id;
