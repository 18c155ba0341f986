-- What:   Turn the pairs of persons of two audits around, to ask the same questions of the way back.
-- Note:   Follows write/person_pair.
create or replace temp table person_pair as
select person_id, after_subject_id as before_subject_id, before_subject_id as after_subject_id
from person_pair
