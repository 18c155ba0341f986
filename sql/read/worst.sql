-- What:   The most exposed persons of an audit.
-- Note:   Levels that differ by less than the solver's tolerance are one; within a level 2 comes before 10, as people count.
select
    person,
    likely_value,
    max_probability,
    possible_count,
    entropy_bits
from report.disclosure
where audit_id = $audit_id
order by round(max_probability, 8) desc, length(person), person
limit $person_count
