-- What:   Which combinations of quasi-identifiers in an audit's scope meet the condition of which rule.
-- Note:   Follows write/pattern_tuple_code. Each combination is looked up once for each set of columns that rules have.
create or replace temp table assumed_match as
with
    rule as (
        select
            i.rule_id,
            cast(sum(c.bit) as bigint) as columns,
            sum(c.mask) as mask,
            sum(cast(k.code as hugeint) << c.shift) as code
        from assumed_rule_item as i
        inner join pattern_code as k on i.column_name = k.column_name and i.item = k.item
        inner join pattern_column as c on i.column_name = c.column_name
        group by i.rule_id
    ),

    subset as (
        select distinct columns, mask
        from rule
    ),

    looked_up as (
        select s.columns, t.code & s.mask as code, t.qi_id
        from pattern_tuple_code as t
        inner join subset as s on (t.columns & s.columns) = s.columns
    )

select r.rule_id, l.qi_id
from rule as r
inner join looked_up as l on r.columns = l.columns and r.code = l.code
