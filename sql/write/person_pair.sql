-- What:   Who of one audit is who of another: each person of either, with the subjects to which he belongs in both.
-- Note:   Where records were linked, whoever shares a record is the same person, by the first record that both audits know: nobody is paired twice. A subject is null where an audit does not know the person.
create or replace temp table person_pair as
with
    known as (
        select audit_id, person_id, subject_id, person_id as record_person_id
        from result.subject_person
        where audit_id in ($before_id, $after_id)
        union all
        select s.audit_id, s.person_id, s.subject_id, l.record_person_id
        from result.linked_person as l
        inner join result.subject_person as s on l.audit_id = s.audit_id and l.person_id = s.person_id
        where l.audit_id in ($before_id, $after_id)
    ),

    sharing as (
        select
            b.person_id as before_person_id,
            a.person_id as after_person_id,
            b.subject_id as before_subject_id,
            a.subject_id as after_subject_id,
            min(b.record_person_id) as record_person_id
        from known as b
        inner join known as a on b.record_person_id = a.record_person_id
        where b.audit_id = $before_id and a.audit_id = $after_id
        group by all
    ),

    first_of_before as (
        select before_person_id, min(record_person_id) as record_person_id
        from sharing
        group by before_person_id
    ),

    first_of_after as (
        select after_person_id, min(record_person_id) as record_person_id
        from sharing
        group by after_person_id
    ),

    same_person as (
        select s.before_person_id, s.after_person_id, s.before_subject_id, s.after_subject_id
        from sharing as s
        inner join first_of_before as b on s.before_person_id = b.before_person_id and s.record_person_id = b.record_person_id
        inner join first_of_after as a on s.after_person_id = a.after_person_id and s.record_person_id = a.record_person_id
    )

select least(before_person_id, after_person_id) as person_id, before_subject_id, after_subject_id
from same_person
union all
select s.person_id, s.subject_id as before_subject_id, null as after_subject_id
from result.subject_person as s
anti join same_person as p on s.person_id = p.before_person_id
where s.audit_id = $before_id
union all
select s.person_id, null as before_subject_id, s.subject_id as after_subject_id
from result.subject_person as s
anti join same_person as p on s.person_id = p.after_person_id
where s.audit_id = $after_id
