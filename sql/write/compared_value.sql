-- What:   The answers of two audits that are to be compared, one row for each value of a subject.
-- Note:   A named person's places are summed up.
create or replace temp table compared_value as
select
    audit_id,
    subject_id,
    value,
    sum(probability) as probability,
    bool_and(is_forced and probability = 0) as is_impossible
from result.posterior
where audit_id in ($before_id, $after_id)
group by audit_id, subject_id, value
