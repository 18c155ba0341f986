-- What:   The sensitive values that are possible in an audit, with their parts by column.
-- Note:   A coarser value is there with its leaves.
create or replace temp table statement_part as
select d.value, p.column_name, p.part
from model.domain as d
inner join published.value_part as p on p.dataset_id = $dataset_id and d.value = p.value
where d.audit_id = $audit_id
