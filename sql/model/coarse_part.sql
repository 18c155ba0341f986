-- What:   The coarser values of a sensitive column that the releases in an audit's scope published, with what each stands for.
-- Grain:  audit_id, column_name, part, leaf
-- Source: Re-publishing, section 3.4, for releases that are coarser than others
-- Note:   Column by column: whoever certainly has some cancer is told so, whatever the other sensitive columns are.
create view model.coarse_part as
select distinct
    l.audit_id,      -- the audit
    c.column_name,   -- the sensitive column
    c.part,          -- the coarser value
    f.part as leaf   -- a finer value of the same column that it may mean
from result.value_leaf as l
inner join result.audit as a on l.audit_id = a.audit_id
inner join published.value_part as c on a.dataset_id = c.dataset_id and l.value = c.value
inner join published.value_part as f on a.dataset_id = f.dataset_id and l.leaf = f.value and c.column_name = f.column_name
where c.part <> f.part;
