-- What:   The three highest levels of exposure in an audit, with the number of persons at each.
-- Note:   Levels that differ by less than the solver's tolerance are one.
select
    round(d.max_probability, 8) as max_probability,
    cast(sum(s.person_count) as bigint) as person_count
from report.subject_disclosure as d
inner join result.subject as s on d.audit_id = s.audit_id and d.subject_id = s.subject_id
where d.audit_id = $audit_id
group by round(d.max_probability, 8)
order by max_probability desc
limit 3
