-- What:   The combinations of quasi-identifiers in which rules are looked for.
-- Note:   Follows write/mining_population or write/mining_release.
create or replace temp table pattern_tuple as
select q.qi_id, q.qi
from published.qi as q
where q.qi_id in (select t.qi_id from mining_truth as t)
