-- What:   The sets of columns with one more than before, all of whose smaller sets are still there.
-- Note:   Privacy-MaxEnt section 4.4; Apriori: where a set of columns has no pattern with enough persons, no larger one has.
create or replace temp table mining_subset as
with
    -- Columns are added in order, so that each set arises once.
    grown as (
        select s.columns + c.bit as columns, s.mask + c.mask as mask
        from mining_subset as s
        inner join pattern_column as c on s.columns = 0 or c.bit < (s.columns & -s.columns)
    ),

    within as (
        select g.columns, g.mask, count(*) as subset_count
        from grown as g
        inner join pattern_column as c on (g.columns & c.bit) <> 0
        inner join mining_subset as s on s.columns = g.columns - c.bit
        group by g.columns, g.mask
    )

select columns, mask
from within
where subset_count = bit_count(columns)
