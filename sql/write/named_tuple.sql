-- What:   The quasi-identifiers of the records of an audit's only release, and of the population beside it, with the number of persons who have each.
-- Note:   Follows the choice of the scope; there is one release in it.
create or replace temp table named_tuple as
select s.release_id, p.qi_id, r.form = 'generalized' as is_generalized, count(*) as record_count
from result.audit_release as s
inner join published.release as r on s.release_id = r.release_id
inner join model.person_qi as p on s.audit_id = p.audit_id
where s.audit_id = $audit_id
group by s.release_id, p.qi_id, r.form
