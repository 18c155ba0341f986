-- What:   The answer for records that named persons may be: the share of each value among those who may stand there.
-- Grain:  audit_id, subject_id, value
-- Source: MATHS 1: p_r(s) is the sum over u of n_u p_u(r, s), divided by n_r
-- Note:   Divided by its own sum, which is n_r within the solver's tolerance. Impossible if it is for everybody who may stand there; certain if all else is impossible.
create view model.record_answer as
with
    counted as (
        select
            t.audit_id,
            t.record_subject_id,
            p.value,
            sum(u.person_count * p.probability) as person_count,
            bool_and(p.is_forced and p.probability = 0) as is_impossible
        from result.standing as t
        inner join result.pool_subject as u on t.audit_id = u.audit_id and t.subject_id = u.subject_id
        inner join result.posterior as p on t.audit_id = p.audit_id and t.subject_id = p.subject_id and t.place = p.place
        group by t.audit_id, t.record_subject_id, p.value
    ),

    total as (
        select
            audit_id,
            record_subject_id,
            sum(person_count) as person_count,
            count(*) filter (where not is_impossible) as possible_count
        from counted
        group by audit_id, record_subject_id
    )

select
    c.audit_id, -- the audit
    c.record_subject_id as subject_id, -- the records: a subject of result.subject
    c.value,    -- a sensitive value
    c.person_count / t.person_count as probability, -- its share
    c.is_impossible or t.possible_count = 1 as is_forced -- proven to be 0 or 1
from counted as c
inner join total as t on c.audit_id = t.audit_id and c.record_subject_id = t.record_subject_id;
