-- What:   Which cells a statement counts.
-- Grain:  audit_id, constraint_key, subject_id, place, value
-- Source: MATHS 2: P(S in T given Q) has 1/N(Q) on the cells with q in Q and s in T; a count has 1
-- Note:   Only the non-zero coefficients. A cell in several terms of a statement counts with their sum.
create view model.knowledge_term as
with
    -- At a place a statement counts whoever stands there as it counts the records, and a named person wherever he stands.
    meant as (
        select audit_id, statement_id, term, subject_id, subject_id as record_subject_id
        from model.statement_subject
        union all
        select s.audit_id, s.statement_id, s.term, t.subject_id, t.record_subject_id
        from model.statement_subject as s
        inner join result.standing as t on s.audit_id = t.audit_id and s.subject_id = t.record_subject_id
        union all
        select s.audit_id, s.statement_id, s.term, t.subject_id, t.record_subject_id
        from model.statement_subject as s
        inner join result.standing as t on s.audit_id = t.audit_id and s.subject_id = t.subject_id
    ),

    part as (
        select
            m.audit_id,
            m.statement_id,
            m.subject_id,
            m.record_subject_id,
            v.value,
            sum(case when t.is_count then t.coefficient else t.coefficient / t.person_count end) as coefficient
        from meant as m
        inner join result.statement_term as t on m.audit_id = t.audit_id and m.statement_id = t.statement_id and m.term = t.term
        inner join result.statement_value as v on m.audit_id = v.audit_id and m.statement_id = v.statement_id and m.term = v.term
        group by m.audit_id, m.statement_id, m.subject_id, m.record_subject_id, v.value
    )

select
    c.audit_id,       -- the audit
    k.constraint_key, -- the statement in words
    c.subject_id,     -- the subject
    c.place,          -- as in model.cell
    c.value,          -- the value
    p.coefficient     -- per person of the subject
from part as p
inner join model.cell as c
    on p.audit_id = c.audit_id and p.subject_id = c.subject_id and p.record_subject_id = c.record_subject_id and p.value = c.value
inner join model.knowledge as k on p.audit_id = k.audit_id and p.statement_id = k.statement_id
where p.coefficient <> 0;
