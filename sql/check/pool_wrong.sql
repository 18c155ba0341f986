-- What:   Subjects of pools, or places where they may stand, that are not what the named persons of their audit imply.
-- Note:   Which records named persons may be is kept with the audit; all else follows from it.
with
    kept as (
        select u.audit_id, u.subject_id, u.pool_id, u.kind, u.person_count, n.person_id
        from result.pool_subject as u
        left join result.named_person as n on u.audit_id = n.audit_id and u.subject_id = n.subject_id
    ),

    looked_for as (
        select coalesce(m.audit_id, k.audit_id) as audit_id, coalesce(m.subject_id, k.subject_id) as subject_id
        from model.pool_subject as m
        full join kept as k
            on
                m.audit_id = k.audit_id and m.subject_id = k.subject_id and m.pool_id = k.pool_id and m.kind = k.kind and m.person_count = k.person_count
                and m.person_id is not distinct from k.person_id
        where m.audit_id is null or k.audit_id is null
    ),

    standing as (
        select coalesce(m.audit_id, k.audit_id) as audit_id, coalesce(m.subject_id, k.subject_id) as subject_id
        from model.standing as m
        full join result.standing as k
            on m.audit_id = k.audit_id and m.subject_id = k.subject_id and m.place = k.place and m.record_subject_id = k.record_subject_id
        where m.audit_id is null or k.audit_id is null
    ),

    stranger as (
        select n.audit_id, n.subject_id
        from result.named_person as n
        left join result.pool_subject as u on n.audit_id = u.audit_id and n.subject_id = u.subject_id and u.kind = 'named'
        where u.subject_id is null
    ),

    place as (
        select distinct audit_id, record_subject_id
        from result.standing
    ),

    told as (
        select s.audit_id, s.subject_id
        from result.subject as s
        left join place as p on s.audit_id = p.audit_id and s.subject_id = p.record_subject_id
        where s.kind is distinct from case when p.record_subject_id is null then 'person' else 'record' end
    )

select audit_id, subject_id from looked_for
union
select audit_id, subject_id from standing
union
select audit_id, subject_id from stranger
union
select audit_id, subject_id from told
