-- What:   A file without any record.
-- Says:   the file has a header and no record.
select 0 as place
where not exists (select 1 from incoming)
