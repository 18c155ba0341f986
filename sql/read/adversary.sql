-- What:   The adversaries, with how many statements and mined rules each knows.
-- Note:   default and none always exist.
with
    statement as (
        select adversary, count(*) as statement_count
        from adversary.statement
        group by adversary
    ),

    rule as (
        select adversary, count(*) as rule_count
        from adversary.rule
        group by adversary
    )

select
    a.adversary,
    a.remark,
    coalesce(s.statement_count, 0) as statement_count,
    coalesce(r.rule_count, 0) as rule_count
from adversary.adversary as a
left join statement as s on a.adversary = s.adversary
left join rule as r on a.adversary = r.adversary
order by a.adversary
