-- What:   Persons in statement_match whom a condition must not speak of beside a named person, with one whose record theirs may be.
-- Note:   Whoever is not mentioned; and a mentioned record that a named person in statement_match may be, too. One row says enough.
with
    matched as (
        select m.person_id, n.person, s.qi_id, list_contains($persons, n.person) as is_mentioned
        from statement_match as m
        inner join published.person as n on m.person_id = n.person_id
        left join statement_scope as s on m.person_id = s.person_id
    ),

    doubled as (
        select m.person_id, min(w.person) as named_person
        from matched as m
        inner join result.named_qi as q on q.audit_id = $audit_id and m.qi_id = q.qi_id
        inner join matched as w on q.person_id = w.person_id
        group by m.person_id
    )

select m.person, m.is_mentioned, d.named_person
from matched as m
left join doubled as d on m.person_id = d.person_id
where not m.is_mentioned or d.person_id is not null
order by m.is_mentioned, m.person_id
limit 1
