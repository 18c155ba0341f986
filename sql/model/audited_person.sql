-- What:   Everybody of whom an audit tells something: the persons of its records and, beside them, those who are named.
-- Grain:  audit_id, person_id
-- Source: DESIGN 3: named persons have rows beside the records and are not counted again in sums
-- Note:   For views that show persons one by one. Whatever sums over persons reads result.subject_person instead.
create view model.audited_person as
select
    audit_id,   -- the audit
    subject_id, -- his subject
    person_id,  -- the person
    false as is_named -- whether he is named, and it is uncertain which record is his
from result.subject_person
union all
select
    audit_id,
    subject_id,
    person_id,
    true as is_named
from result.named_person;
