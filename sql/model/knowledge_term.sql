-- What:   Which cells a statement counts.
-- Grain:  audit_id, constraint_key, subject_id, place, value
-- Source: MATHS 2: P(S in T given Q) has 1/N(Q) on the cells with q in Q and s in T; a count has 1
-- Note:   Only the non-zero coefficients. A cell in several terms of a statement counts with their sum.
create view model.knowledge_term as
with
    part as (
        select
            s.audit_id,
            s.statement_id,
            s.subject_id,
            v.value,
            sum(case when t.is_count then t.coefficient else t.coefficient / t.person_count end) as coefficient
        from model.statement_subject as s
        inner join result.statement_term as t on s.audit_id = t.audit_id and s.statement_id = t.statement_id and s.term = t.term
        inner join result.statement_value as v on s.audit_id = v.audit_id and s.statement_id = v.statement_id and s.term = v.term
        group by s.audit_id, s.statement_id, s.subject_id, v.value
    ),

    -- At a place a statement counts whoever stands there as it counts the records, and a named person wherever he stands.
    counted as (
        select p.statement_id, c.audit_id, c.subject_id, c.place, c.value, p.coefficient
        from part as p
        inner join model.cell as c on p.audit_id = c.audit_id and p.subject_id = c.record_subject_id and p.value = c.value
        union all
        select p.statement_id, c.audit_id, c.subject_id, c.place, c.value, p.coefficient
        from part as p
        inner join model.cell as c on p.audit_id = c.audit_id and p.subject_id = c.subject_id and p.value = c.value
        where c.subject_id <> c.record_subject_id
    )

select
    c.audit_id,       -- the audit
    k.constraint_key, -- the statement in words
    c.subject_id,     -- the subject
    c.place,          -- as in model.cell
    c.value,          -- the value
    sum(c.coefficient) as coefficient -- per person of the subject
from counted as c
inner join model.knowledge as k on c.audit_id = k.audit_id and c.statement_id = k.statement_id
group by c.audit_id, k.constraint_key, c.subject_id, c.place, c.value
having sum(c.coefficient) <> 0;
