-- What:   Which cells a constraint counts.
-- Grain:  audit_id, constraint_key, subject_id, place, value
-- Source: MATHS 2: Relation has coefficient 1 on the cells (u, s) with b_r(u) = b; Knowledge as in model.knowledge_term; a place counts everybody there
-- Note:   Only the non-zero coefficients. A coarser value counts the cells of all its leaves.
create view model.constraint_term as
select
    c.audit_id,                            -- the audit
    i.constraint_key,                      -- the figure, statement or place in words
    c.subject_id,                          -- the subject
    c.place,                               -- as in model.cell
    c.value,                               -- the value
    cast(1.0 as double) as coefficient     -- per person of the subject
from model.cell as c
inner join result.subject_bucket as b on c.audit_id = b.audit_id and c.record_subject_id = b.subject_id
inner join model.figure_leaf as f on b.audit_id = f.audit_id and b.bucket_id = f.bucket_id and c.value = f.leaf
inner join model.figure as i on f.audit_id = i.audit_id and f.bucket_id = i.bucket_id and f.value = i.value
union all
select
    audit_id,
    constraint_key,
    subject_id,
    place,
    value,
    coefficient
from model.knowledge_term
union all
select
    c.audit_id,
    p.constraint_key,
    c.subject_id,
    c.place,
    c.value,
    cast(1.0 as double) as coefficient
from model.place as p
inner join model.cell as c on p.audit_id = c.audit_id and p.record_subject_id = c.record_subject_id;
