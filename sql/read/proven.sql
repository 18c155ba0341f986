-- What:   How many persons have a single possible value, with one of them.
-- Note:   Proven, not only probable: everything else is excluded by what was published.
with
    sure as (
        select audit_id, subject_id, likely_value
        from report.subject_disclosure
        where audit_id = $audit_id and possible_count = 1
    )

select
    count(*) as person_count,
    min_by(n.person, n.person_id) as person,
    min_by(s.likely_value, n.person_id) as value
from sure as s
inner join result.subject_person as p on s.audit_id = p.audit_id and s.subject_id = p.subject_id
inner join published.person as n on p.person_id = n.person_id
