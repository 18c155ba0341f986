-- What:   The strongest rules of all levels, numbered by rank, with what each says.
-- Note:   Top-(K+, K-) of Privacy-MaxEnt section 4.4. The statement counts persons, which is the rule's own figure without rounding.
create or replace temp table mined_rule as
with
    ranked as (
        select
            r.*,
            row_number() over (
                partition by r.is_positive
                order by r.confidence desc, r.support desc, r.attribute_count asc, r.columns desc, r.code asc, r.value asc
            ) as rank
        from mining_rule as r
    ),

    chosen as (
        select *
        from ranked
        where rank <= case when is_positive then $positive else $negative end
    ),

    told as (
        select
            h.is_positive,
            h.rank,
            string_agg(c.column_name || '=' || k.item, ', ' order by c.bit desc) as condition_words,
            string_agg(n.spelled || ' = ''' || replace(k.item, '''', '''''') || '''', ' and ' order by c.bit desc) as condition
        from chosen as h
        inner join pattern_column as c on (h.columns & c.bit) <> 0
        inner join pattern_code as k on c.column_name = k.column_name and ((h.code & c.mask) >> c.shift) = k.code
        inner join spelled_column as n on c.column_name = n.column_name
        group by h.is_positive, h.rank
    ),

    event as (
        select
            p.value,
            string_agg(n.spelled || ' = ''' || replace(p.part, '''', '''''') || '''', ' and ' order by d.position) as event
        from published.value_part as p
        inner join published.dataset_column as d on p.dataset_id = d.dataset_id and p.column_name = d.column_name and d.role = 'sensitive'
        inner join spelled_column as n on p.column_name = n.column_name
        where p.dataset_id = $dataset_id and p.value in (select v.value from mining_value as v)
        group by p.value
    ),

    written as (
        select
            h.is_positive,
            h.rank,
            t.condition_words || ' => ' || case when h.is_positive then '' else 'not ' end || v.value as rule,
            'count(' || e.event || ' | ' || t.condition || ') = ' || h.value_count as statement,
            v.value,
            h.attribute_count,
            h.person_count,
            h.value_count,
            h.support,
            h.confidence,
            h.columns,
            h.code
        from chosen as h
        inner join told as t on h.is_positive = t.is_positive and h.rank = t.rank
        inner join mining_value as v on h.value = v.number
        inner join event as e on v.value = e.value
        order by h.is_positive desc, h.rank asc
    )

select nextval('adversary.statement_key') as rule_id, w.* -- noqa: AM04
from written as w
