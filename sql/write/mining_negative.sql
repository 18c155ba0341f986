-- What:   Keep the strongest rules of a level that say who does not have a value, although somebody of the pattern has.
-- Note:   Where nobody has, see write/mining_absent.
insert into mining_rule
select
    false,
    (a.person_count - p.value_count) / a.person_count,
    a.person_count - p.value_count,
    bit_count(p.columns),
    p.columns,
    p.code,
    p.value,
    a.person_count,
    p.value_count
from mining_pattern as p
inner join mining_antecedent as a on p.columns = a.columns and p.code = a.code
where a.person_count - p.value_count >= $min_support
order by (a.person_count - p.value_count) / a.person_count desc, a.person_count - p.value_count desc, p.columns desc, p.code asc, p.value asc
limit $negative
