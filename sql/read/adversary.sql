-- What:   The adversaries, with how many statements each knows.
-- Note:   default and none always exist.
select a.adversary, a.remark, count(s.statement_id) as statement_count
from adversary.adversary as a
left join adversary.statement as s on a.adversary = s.adversary
group by a.adversary, a.remark
order by a.adversary
