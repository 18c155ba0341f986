-- What:   Terms that are kept twice, belong to no statement of their audit, or speak of another number of persons than they say.
-- Note:   Everybody: all persons in scope. Otherwise those whose quasi-identifiers, or who themselves, are kept with the term.
with
    person as (
        select audit_id, count(*) as person_count
        from result.subject_person
        group by audit_id
    ),

    statement as (
        select distinct audit_id, statement_id
        from result.audit_statement
    ),

    by_qi as (
        select q.audit_id, q.statement_id, q.term, count(*) as person_count
        from result.statement_qi as q
        inner join result.statement_term as t on q.audit_id = t.audit_id and q.statement_id = t.statement_id and q.term = t.term
        inner join result.subject_person as s on q.audit_id = s.audit_id and q.qi_id = s.qi_id
        left join result.subject_bucket as b on s.audit_id = b.audit_id and s.subject_id = b.subject_id and t.over_release_id = b.release_id
        left join published.population as p on t.is_over_population and s.person_id = p.person_id
        where (t.over_release_id is null or b.bucket_id is not null) and (not t.is_over_population or p.person_id is not null)
        group by q.audit_id, q.statement_id, q.term
    ),

    by_name as (
        select p.audit_id, p.statement_id, p.term, count(*) as person_count
        from result.statement_person as p
        inner join model.audited_person as s on p.audit_id = s.audit_id and p.person_id = s.person_id
        group by p.audit_id, p.statement_id, p.term
    )

select t.audit_id, t.statement_id, t.term, count(*) as row_count
from result.statement_term as t
left join statement as k on t.audit_id = k.audit_id and t.statement_id = k.statement_id
left join person as e on t.audit_id = e.audit_id
left join by_qi as q on t.audit_id = q.audit_id and t.statement_id = q.statement_id and t.term = q.term
left join by_name as n on t.audit_id = n.audit_id and t.statement_id = n.statement_id and t.term = n.term
group by t.audit_id, t.statement_id, t.term
having
    count(*) > 1
    or bool_or(k.statement_id is null)
    or bool_or(not isfinite(t.coefficient) or t.coefficient = 0)
    or bool_or(
        t.person_count is distinct from case t.matched_by
            when 'everybody' then coalesce(e.person_count, 0)
            when 'qi' then coalesce(q.person_count, 0)
            when 'person' then coalesce(n.person_count, 0)
        end
    )
