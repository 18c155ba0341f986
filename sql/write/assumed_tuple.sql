-- What:   The combinations of quasi-identifiers in an audit's scope that rules may speak of.
-- Note:   Follows write/statement_tuple.
create or replace temp table pattern_tuple as
select qi_id, qi
from statement_tuple
