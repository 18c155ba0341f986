-- What:   What is most likely for the persons of each subject, and how much remains open.
-- Grain:  audit_id, subject_id
-- Source: MATHS 7 (measuring)
-- Note:   Probabilities that differ by less than the solver's tolerance are a tie, and a tie goes to the first value in order.
create view report.subject_disclosure as
with
    summed as (
        select
            audit_id,
            subject_id,
            value,
            sum(probability) as probability,
            bool_and(is_forced and probability = 0) as is_impossible
        from result.posterior
        group by audit_id, subject_id, value
    ),

    ranked as (
        select
            audit_id,
            subject_id,
            value,
            probability,
            is_impossible,
            max(probability) over (partition by audit_id, subject_id) as max_probability
        from summed
    )

select
    audit_id,   -- the audit
    subject_id, -- the subject
    min(value) filter (where probability >= max_probability - 1e-9) as likely_value, -- the most probable value
    max(probability) as max_probability,                                             -- how probable it is
    count(*) filter (where not is_impossible) as possible_count,                     -- values not proven impossible
    abs(sum(case when probability > 0 then -probability * log2(probability) else 0 end)) as entropy_bits -- what remains unknown
from ranked
group by audit_id, subject_id;
