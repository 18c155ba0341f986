-- What:   The answer of an audit for one subject: each value with its probability, and whether that is proven.
-- Note:   A coarser value of a hierarchy is the sum over what it stands for. It is proven impossible if all of that is, and proven certain if all else is.
with
    leaf as (
        select
            value,
            sum(probability) as probability,
            bool_and(is_forced and probability = 0) as is_impossible
        from result.posterior
        where audit_id = $audit_id and subject_id = $subject_id
        group by value
    ),

    coarse as (
        select
            c.value,
            c.leaf,
            l.probability,
            coalesce(l.is_impossible, true) as is_impossible
        from result.value_leaf as c
        left join leaf as l on c.leaf = l.value
        where c.audit_id = $audit_id
    ),

    possible as (
        select count(*) as leaf_count
        from leaf
        where not is_impossible
    ),

    told as (
        select
            value,
            probability,
            is_impossible,
            case when is_impossible then 0 else 1 end as possible_count,
            false as is_coarse
        from leaf
        union all
        select
            value,
            coalesce(sum(probability), 0) as probability,
            bool_and(is_impossible) as is_impossible,
            count(*) filter (where not is_impossible) as possible_count,
            true as is_coarse
        from coarse
        group by value
    )

select
    t.value,
    t.probability,
    t.is_impossible,
    t.possible_count = p.leaf_count as is_certain,
    t.is_coarse
from told as t
cross join possible as p
order by t.is_coarse asc, t.probability desc, t.value asc
