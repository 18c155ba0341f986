-- What:   A hierarchy without any row.
-- Says:   the file has a header and no value.
select 0 as place
where not exists (select 1 from incoming_node)
