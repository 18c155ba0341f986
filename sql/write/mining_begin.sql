-- What:   Begin to look for rules: no column chosen yet, no rule found.
-- Note:   Each level adds a column to the sets of the level before.
create or replace temp table mining_subset as
select cast(0 as bigint) as columns, cast(0 as hugeint) as mask
