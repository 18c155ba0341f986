-- What:   What an audit says of the persons who are named: the most probable value of each, and whether it is the only one possible.
-- Note:   The most exposed first.
select
    n.person,
    d.likely_value,
    d.max_probability,
    d.possible_count
from result.named_person as s
inner join report.subject_disclosure as d on s.audit_id = d.audit_id and s.subject_id = d.subject_id
inner join published.person as n on s.person_id = n.person_id
where s.audit_id = $audit_id
order by round(d.max_probability, 8) desc, n.person
