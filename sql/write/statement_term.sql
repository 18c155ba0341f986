-- What:   Keep a term of a statement, with the number of persons in scope of whom it speaks.
-- Note:   Follows write/statement_qi or write/statement_person where its condition needs one.
insert into result.statement_term (audit_id, statement_id, term, coefficient, is_count, matched_by, person_count)
with
    spoken_of as (
        select sum(person_count) as person_count
        from statement_tuple
        where $matched_by = 'everybody'
        union all
        select sum(t.person_count) as person_count
        from result.statement_qi as q
        inner join statement_tuple as t on q.qi_id = t.qi_id
        where q.audit_id = $audit_id and q.statement_id = $statement_id and q.term = $term
        union all
        select count(*) as person_count
        from result.statement_person
        where audit_id = $audit_id and statement_id = $statement_id and term = $term
    )

select $audit_id, $statement_id, $term, $coefficient, $is_count, $matched_by, coalesce(sum(person_count), 0)
from spoken_of
