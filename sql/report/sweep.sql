-- What:   What audits found that differ only in how many mined rules are assumed to be known: pairs of a bound and a score.
-- Grain:  sweep_id, bound
-- Source: Privacy-MaxEnt, section 4.3: the outcome of privacy quantification is a tuple of bound and score; Figure 5
-- Note:   Scores are null where an audit has no answer. estimation_accuracy is null where the truth is not known; the nearer to 0, the more the adversary knows.
create view report.sweep as
with
    worst as (
        select d.audit_id, max(d.max_probability) as worst_probability
        from result.sweep as w
        inner join model.audited_person as p on w.audit_id = p.audit_id
        inner join report.subject_disclosure as d on p.audit_id = d.audit_id and p.subject_id = d.subject_id
        group by d.audit_id
    ),

    score as (
        select
            p.audit_id,
            sum(p.person_count * d.max_probability) / sum(p.person_count) as mean_probability,
            cast(sum(case when d.possible_count = 1 then p.person_count else 0 end) as bigint) as certain_count
        from result.sweep as w
        inner join result.subject as p on w.audit_id = p.audit_id
        inner join report.subject_disclosure as d on p.audit_id = d.audit_id and p.subject_id = d.subject_id
        group by p.audit_id
    ),

    accuracy as (
        select audit_id, value
        from result.metric
        where metric = 'estimation_accuracy'
    )

select
    w.sweep_id,       -- the sweep
    w.bound,          -- how many of the strongest rules are known: half positive, half negative
    w.audit_id,       -- the audit
    a.dataset,        -- the dataset
    a.adversary,      -- whose knowledge was assumed beside the rules
    w.positive_count, -- positive rules assumed; fewer than half the bound where there are no more
    w.negative_count, -- negative rules assumed
    a.status,         -- of the audit
    a.verdict,        -- of the audit
    a.person_count,   -- persons in scope
    m.worst_probability, -- how probable the most probable value of anybody is, named persons included
    s.mean_probability,  -- the mean over persons of how probable their most probable value is
    s.certain_count,  -- persons with a single possible value
    a.entropy_bits,   -- what remains unknown, summed over persons
    y.value as estimation_accuracy, -- divergence of the answer from the truth, in nats
    isinf(y.value) as is_truth_excluded -- whether the answer calls something true impossible, so that the divergence is infinite (which JSON cannot say)
from result.sweep as w
inner join result.audit as a on w.audit_id = a.audit_id
left join worst as m on w.audit_id = m.audit_id
left join score as s on w.audit_id = s.audit_id
left join accuracy as y on w.audit_id = y.audit_id;
