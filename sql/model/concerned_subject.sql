-- What:   The subjects for whom a statement counts a value that a bucket of theirs lists, or any value if they stand in none.
-- Grain:  audit_id, subject_id
-- Source: Privacy-MaxEnt, Definition 5.6: a bucket is irrelevant if it appears in no term of the background knowledge
-- Note:   Their answer is no longer a share of a bucket, nor is that of those who stand beside them.
create view model.concerned_subject as
with
    counted as (
        select s.audit_id, s.subject_id, v.value
        from model.statement_subject as s
        inner join result.statement_value as v
            on s.audit_id = v.audit_id and s.statement_id = v.statement_id and s.term = v.term
    ),

    placed as (
        select c.audit_id, c.subject_id, c.value, b.bucket_id
        from counted as c
        left join result.subject_bucket as b on c.audit_id = b.audit_id and c.subject_id = b.subject_id
    )

select distinct
    p.audit_id,  -- the audit
    p.subject_id -- the subject
from placed as p
left join model.figure_leaf as f on p.audit_id = f.audit_id and p.bucket_id = f.bucket_id and p.value = f.leaf
where p.bucket_id is null or f.leaf is not null;
