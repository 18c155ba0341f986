-- What:   Which subjects the terms of an audit's statements speak of.
-- Grain:  audit_id, statement_id, term, subject_id
-- Source: MATHS 2: a statement runs over all persons in scope who meet its condition
-- Note:   All persons of a subject meet the same conditions, so that one of them is asked for all. A named person is spoken of only by name; otherwise the record counts where he stands. A rule speaks of those alone from whom it was mined.
create view model.statement_subject as
with
    spokesman as (
        select
            audit_id,
            subject_id,
            min(person_id) as person_id,
            min_by(qi_id, person_id) as qi_id
        from result.subject_person
        group by audit_id, subject_id
    )

select
    t.audit_id,     -- the audit
    t.statement_id, -- the statement
    t.term,         -- its term
    s.subject_id    -- a subject whose persons meet the condition
from result.statement_term as t
inner join spokesman as s on t.audit_id = s.audit_id
where t.matched_by = 'everybody'
union all
select
    q.audit_id,
    q.statement_id,
    q.term,
    s.subject_id
from result.statement_qi as q
inner join result.statement_term as t on q.audit_id = t.audit_id and q.statement_id = t.statement_id and q.term = t.term
inner join spokesman as s on q.audit_id = s.audit_id and q.qi_id = s.qi_id
left join result.subject_bucket as b on s.audit_id = b.audit_id and s.subject_id = b.subject_id and t.over_release_id = b.release_id
left join published.population as p on t.is_over_population and s.person_id = p.person_id
where (t.over_release_id is null or b.bucket_id is not null) and (not t.is_over_population or p.person_id is not null)
union all
select
    p.audit_id,
    p.statement_id,
    p.term,
    s.subject_id
from result.statement_person as p
inner join spokesman as s on p.audit_id = s.audit_id and p.person_id = s.person_id
union all
select
    p.audit_id,
    p.statement_id,
    p.term,
    n.subject_id
from result.statement_person as p
inner join result.named_person as n on p.audit_id = n.audit_id and p.person_id = n.person_id;
