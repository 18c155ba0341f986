-- What:   What two audits say of the persons of either, in numbers.
-- Note:   Follows write/person_pair and write/compared_subject. Whoever is certain of another value than before is newly certain, and also no longer certain. Levels within the solver's tolerance are the same.
with
    pair as (
        select before_subject_id, after_subject_id, count(*) as person_count
        from person_pair
        group by before_subject_id, after_subject_id
    ),

    compared as (
        select
            p.person_count,
            p.before_subject_id is not null as is_before,
            p.after_subject_id is not null as is_after,
            b.max_probability as before_probability,
            a.max_probability as after_probability,
            b.entropy_bits as before_bits,
            a.entropy_bits as after_bits,
            b.proven_value is not null as before_certain,
            a.proven_value is not null as after_certain,
            coalesce(b.proven_value = a.proven_value, false) as is_certain_as_before
        from pair as p
        left join compared_subject as b on b.audit_id = $before_id and p.before_subject_id = b.subject_id
        left join compared_subject as a on a.audit_id = $after_id and p.after_subject_id = a.subject_id
    ),

    counted as (
        select
            sum(person_count) filter (where is_before and is_after) as shared_count,
            sum(person_count) filter (where not is_before) as new_count,
            sum(person_count) filter (where not is_after) as gone_count,
            sum(person_count) filter (where before_certain) as before_certain_count,
            sum(person_count) filter (where after_certain) as after_certain_count,
            sum(person_count) filter (where is_before and after_certain and not is_certain_as_before) as newly_certain_count,
            sum(person_count) filter (where is_after and before_certain and not is_certain_as_before) as no_longer_certain_count,
            sum(person_count) filter (where after_certain and not is_before) as new_certain_count,
            sum(person_count) filter (where before_certain and not is_after) as gone_certain_count,
            sum(person_count) filter (where after_probability > before_probability + 1e-8) as more_exposed_count,
            sum(person_count) filter (where after_probability < before_probability - 1e-8) as less_exposed_count,
            sum(person_count * before_bits) filter (where is_before and is_after) as shared_before_bits,
            sum(person_count * after_bits) filter (where is_before and is_after) as shared_after_bits,
            max(before_probability) as before_worst_probability,
            max(after_probability) as after_worst_probability
        from compared
    )

select
    cast(coalesce(shared_count, 0) as bigint) as shared_count,
    cast(coalesce(new_count, 0) as bigint) as new_count,
    cast(coalesce(gone_count, 0) as bigint) as gone_count,
    cast(coalesce(before_certain_count, 0) as bigint) as before_certain_count,
    cast(coalesce(after_certain_count, 0) as bigint) as after_certain_count,
    cast(coalesce(newly_certain_count, 0) as bigint) as newly_certain_count,
    cast(coalesce(no_longer_certain_count, 0) as bigint) as no_longer_certain_count,
    cast(coalesce(new_certain_count, 0) as bigint) as new_certain_count,
    cast(coalesce(gone_certain_count, 0) as bigint) as gone_certain_count,
    cast(coalesce(more_exposed_count, 0) as bigint) as more_exposed_count,
    cast(coalesce(less_exposed_count, 0) as bigint) as less_exposed_count,
    coalesce(shared_before_bits, 0.0) as shared_before_bits,
    coalesce(shared_after_bits, 0.0) as shared_after_bits,
    before_worst_probability,
    after_worst_probability
from counted
