-- What:   The combinations of quasi-identifiers that rules may speak of: those in an audit's scope, and those that persons had when the rules were mined.
-- Note:   Follows write/statement_tuple and write/assumed_moved.
create or replace temp table pattern_tuple as
select qi_id, qi
from statement_tuple
union all
select q.qi_id, q.qi
from published.qi as q
where
    q.qi_id in (select m.mined_qi_id from assumed_moved as m)
    and q.qi_id not in (select t.qi_id from statement_tuple as t)
