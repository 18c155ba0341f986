-- What:   What two audits say of each subject: how probable its most probable value is, which value is proven, and what remains unknown.
-- Note:   Follows write/compared_value. As report.subject_disclosure, without looking for the most probable value where it is not proven: with a million subjects that takes longest.
create or replace temp table compared_subject as
select
    audit_id,
    subject_id,
    max(probability) as max_probability,
    abs(sum(case when probability > 0 then -probability * log2(probability) else 0 end)) as entropy_bits,
    case when count(*) filter (where not is_impossible) = 1 then min(value) filter (where not is_impossible) end as proven_value
from compared_value
group by audit_id, subject_id
