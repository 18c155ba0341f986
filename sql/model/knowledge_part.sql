-- What:   How often a statement counts each value of a subject, whether or not the subject can have it.
-- Grain:  audit_id, statement_id, subject_id, record_subject_id, value
-- Source: MATHS 2: P(S in T given Q) has 1/N(Q) on the cells with q in Q and s in T; a count has 1
-- Note:   A value in several terms of a statement counts with their sum. By keys alone: with ten thousand rules the texts that name them are what takes longest.
create view model.knowledge_part as
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
    )

select
    m.audit_id,          -- the audit
    m.statement_id,      -- the statement
    m.subject_id,        -- the subject
    m.record_subject_id, -- the records where its persons stand: itself, unless they are named or beside a named person
    v.value,             -- a value that the statement counts
    sum(case when t.is_count then t.coefficient else t.coefficient / t.person_count end) as coefficient -- per person of the subject
from meant as m
inner join result.statement_term as t on m.audit_id = t.audit_id and m.statement_id = t.statement_id and m.term = t.term
inner join result.statement_value as v on m.audit_id = v.audit_id and m.statement_id = v.statement_id and m.term = v.term
group by m.audit_id, m.statement_id, m.subject_id, m.record_subject_id, v.value;
