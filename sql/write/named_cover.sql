-- What:   Which texts of a quasi-identifier stand for which values that were given of named persons.
-- Note:   Once for each pair of different texts, however many records have them. The same text, or the same number without zeros that say nothing; these are exact, and all that
--         counts where a release does not generalize. In a generalized one also: nothing but stars (everything); one star at the end (any rest of at least
--         one letter); other stars (one letter each); a range of numbers such as [20-29], 20-29, [20-30), < 30, >= 40 or 90+; a node of a declared hierarchy above the value.
create or replace temp table named_cover as
with
    wanted as (
        select distinct
            column_name,
            text as value,
            regexp_replace(regexp_replace(text, '^(-?[0-9]+\.[0-9]*?)0+$', '\1'), '^(-?[0-9]+)\.$', '\1') as plain_value,
            case when isfinite(try_cast(text as double)) then try_cast(text as double) end as number
        from named_value
    ),

    shown as (
        select distinct column_name, text
        from named_text
    ),

    interval_text as (
        select
            column_name,
            text,
            regexp_extract(
                text,
                '^\s*([\[(]?)\s*(-?[0-9]+(?:\.[0-9]+)?)\s*(?:-|–|,|;|~|\.\.|to)\s*(-?[0-9]+(?:\.[0-9]+)?)\s*([\])]?)\s*$',
                ['opening', 'low', 'high', 'closing']
            ) as ends,
            regexp_extract(text, '^\s*(<=|>=|<|>|≤|≥)\s*(-?[0-9]+(?:\.[0-9]+)?)\s*$', ['sign', 'number']) as side,
            regexp_extract(text, '^\s*(-?[0-9]+(?:\.[0-9]+)?)\s*\+\s*$', 1) as least
        from shown
    ),

    range_text as (
        select
            i.column_name,
            i.text,
            case
                when i.ends.low <> '' then try_cast(i.ends.low as double)
                when i.side.sign in ('>', '>=', '≥') then try_cast(i.side.number as double)
                when i.least <> '' then try_cast(i.least as double)
                else -cast('infinity' as double)
            end as low,
            case
                when i.ends.high <> '' then try_cast(i.ends.high as double)
                when i.side.sign in ('<', '<=', '≤') then try_cast(i.side.number as double)
                else cast('infinity' as double)
            end as high,
            i.ends.opening = '(' or i.side.sign = '>' as is_above,
            i.ends.closing = ')' or i.side.sign = '<' as is_below
        from interval_text as i
        where i.ends.low <> '' or i.side.sign <> '' or i.least <> ''
    ),

    exact as (
        select w.column_name, w.value, s.text
        from wanted as w
        inner join shown as s on w.column_name = s.column_name and (w.value is not distinct from s.text or w.plain_value = s.text)
    ),

    starred as (
        select w.column_name, w.value, s.text
        from wanted as w
        inner join shown as s on w.column_name = s.column_name
        where
            regexp_full_match(s.text, '\*+')
            or (regexp_full_match(s.text, '[^*]+\*') and starts_with(w.value, rtrim(s.text, '*')) and length(w.value) >= length(s.text))
            or (
                s.text like '%*%' and not regexp_full_match(s.text, '[^*]+\*')
                and w.value like replace(replace(replace(replace(s.text, '\', '\\'), '%', '\%'), '_', '\_'), '*', '_') escape '\'
            )
    ),

    within as (
        select w.column_name, w.value, r.text
        from wanted as w
        inner join range_text as r on w.column_name = r.column_name
        where
            (w.number > r.low or (w.number = r.low and not r.is_above))
            and (w.number < r.high or (w.number = r.high and not r.is_below))
    ),

    above as (
        select distinct w.column_name, w.value, n.node as text
        from wanted as w
        inner join published.hierarchy_node as o on o.dataset_id = $dataset_id and w.column_name = o.column_name and w.value = o.node
        inner join published.hierarchy_node as n
            on n.dataset_id = $dataset_id and o.column_name = n.column_name and o.leaf = n.leaf and o.level <= n.level
    ),

    covering as (
        select column_name, value, text, true as is_exact
        from exact
        union all
        select column_name, value, text, false as is_exact
        from starred
        union all
        select column_name, value, text, false as is_exact
        from within
        union all
        select column_name, value, text, false as is_exact
        from above
    )

select column_name, value, text, bool_or(is_exact) as is_exact
from covering
group by column_name, value, text
