-- What:   All combinations of quasi-identifiers that a dataset has shown so far.
-- Note:   For trying a statement when it is entered, before any audit.
create or replace temp table statement_tuple as
select qi_id, qi
from published.qi
where dataset_id = $dataset_id
