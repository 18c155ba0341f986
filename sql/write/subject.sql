-- What:   Keep how many persons each subject has, and whether it is answered in closed form.
-- Note:   Follows write/subject_bucket and, where somebody is named, write/standing.
insert into result.subject (audit_id, subject_id, person_count, is_closed, kind)
with
    sized as (
        select subject_id, count(*) as person_count
        from result.subject_person
        where audit_id = $audit_id
        group by subject_id
    ),

    open_subject as (
        select subject_id
        from model.open_subject
        where audit_id = $audit_id
    )

select
    $audit_id,
    s.subject_id,
    s.person_count,
    o.subject_id is null,
    case when s.subject_id in (select t.record_subject_id from result.standing as t where t.audit_id = $audit_id) then 'record' else 'person' end
from sized as s
left join open_subject as o on s.subject_id = o.subject_id
