-- What:   Keep the strongest rules of a level that say who has a value.
-- Note:   Of sets of as many columns the first by name has the largest number.
insert into mining_rule
select
    true,
    p.value_count / a.person_count,
    p.value_count as support,
    bit_count(p.columns),
    p.columns,
    p.code,
    p.value,
    a.person_count,
    p.value_count
from mining_pattern as p
inner join mining_antecedent as a on p.columns = a.columns and p.code = a.code
where p.value_count >= $min_support
order by p.value_count / a.person_count desc, p.value_count desc, p.columns desc, p.code asc, p.value asc
limit $positive
