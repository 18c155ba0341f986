-- What:   Which cells a statement counts.
-- Grain:  audit_id, constraint_key, subject_id, place, value
-- Source: MATHS 2: P(S in T given Q) has 1/N(Q) on the cells with q in Q and s in T; a count has 1
-- Note:   Only the non-zero coefficients.
create view model.knowledge_term as
select
    c.audit_id,       -- the audit
    k.constraint_key, -- the statement in words
    c.subject_id,     -- the subject
    c.place,          -- as in model.cell
    c.value,          -- the value
    p.coefficient     -- per person of the subject
from model.knowledge_part as p
inner join model.cell as c
    on p.audit_id = c.audit_id and p.subject_id = c.subject_id and p.record_subject_id = c.record_subject_id and p.value = c.value
inner join model.knowledge as k on p.audit_id = k.audit_id and p.statement_id = k.statement_id
where p.coefficient <> 0;
