-- What:   Statements whose adversary does not exist or must know nothing, or that are empty.
-- Note:   The adversary none knows only what was published.
select s.statement_id, s.adversary, s.statement
from adversary.statement as s
left join adversary.adversary as a on s.adversary = a.adversary
where a.adversary is null or s.adversary = 'none' or trim(s.statement) = ''
