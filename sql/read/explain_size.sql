-- What:   How many persons some subjects stand for, in the order of the subjects.
-- Note:   Nothing published tells the persons of a subject apart.
select
    subject_id,
    person_count
from result.subject
where audit_id = $audit_id and subject_id in (select unnest($subjects))
order by subject_id
