-- What:   Keep who has a value that is more probable than allowed.
-- Note:   Named persons are among them. Also a coarser value that a release published and, where several columns are sensitive, the value of a single one. What is above by less than the solver's tolerance is not above.
insert into result.finding (audit_id, policy_rule, person_id, value, measure, threshold)
with
    answer as (
        select subject_id, value, sum(probability) as probability
        from result.posterior
        where audit_id = $audit_id
        group by subject_id, value
    ),

    sensitive as (
        select c.column_name, count(*) over () as column_count
        from published.dataset_column as c
        inner join result.audit as a on c.dataset_id = a.dataset_id
        where a.audit_id = $audit_id and c.role = 'sensitive'
    ),

    part as (
        select
            w.subject_id,
            s.column_name,
            s.column_count,
            v.part,
            sum(w.probability) as probability
        from answer as w
        inner join result.audit as a on a.audit_id = $audit_id
        inner join published.value_part as v on a.dataset_id = v.dataset_id and w.value = v.value
        inner join sensitive as s on v.column_name = s.column_name
        group by w.subject_id, s.column_name, s.column_count, v.part
    ),

    coarse as (
        select p.subject_id, p.column_name, p.column_count, c.part, sum(p.probability) as probability
        from part as p
        inner join model.coarse_part as c on c.audit_id = $audit_id and p.column_name = c.column_name and p.part = c.leaf
        group by p.subject_id, p.column_name, p.column_count, c.part
    ),

    judged as (
        select subject_id, value, probability
        from answer
        union all
        select subject_id, column_name || '=' || part, probability
        from part
        where column_count > 1
        union all
        select subject_id, case when column_count > 1 then column_name || '=' || part else part end, probability
        from coarse
    )

select $audit_id, 'max-probability', s.person_id, j.value, j.probability, $max_probability
from judged as j
inner join model.audited_person as s on s.audit_id = $audit_id and j.subject_id = s.subject_id
where j.probability > $max_probability + 1e-9
