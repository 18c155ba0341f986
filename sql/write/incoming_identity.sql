-- What:   Whom a record of a release means, where the truth tells that a value has changed since the person was seen before.
-- Note:   Re-publishing, section 2: the same person with another sensitive value is another person, called 10#2 after 10. The same value again is the same person again. Whoever was known without a truth is whom the first truth meets.
create or replace temp table incoming_identity as
with
    load as (
        select load_id
        from published.dataset
        where dataset_id = $dataset_id and load_id is not null
        union
        select load_id
        from published.release
        where dataset_id = $dataset_id and load_id is not null
    ),

    truth as (
        select m.person_id, any_value(m.value) as value
        from original.main.microdata as m
        inner join load as l on m.load_id = l.load_id
        group by m.person_id
    ),

    known as (
        select
            coalesce(p.identity, p.person) as identity,
            p.person,
            t.value,
            case when p.identity is null then 1 else cast(substr(p.person, length(p.identity) + 2) as integer) end as number
        from published.person as p
        left join truth as t on p.person_id = t.person_id
        where p.dataset_id = $dataset_id
    ),

    latest as (
        select identity, max(number) as number
        from known
        group by identity
    ),

    -- A coarser name for the same value is no change, where one column is sensitive.
    same as (
        select distinct h.node as one, h.leaf as other
        from published.hierarchy_node as h
        inner join published.dataset_column as c on h.dataset_id = c.dataset_id and h.column_name = c.column_name and c.role = 'sensitive'
        where h.dataset_id = $dataset_id and h.node <> h.leaf
    ),

    told as (
        select cast(person as varchar) as identity, value
        from incoming_truth
        where person is not null
    )

select
    t.identity,
    t.value,
    l.identity is not null and min(k.person) is null and min(u.person) is null as is_changed,
    coalesce(min_by(k.person, k.number), min(u.person), t.identity || coalesce('#' || (l.number + 1), '')) as name
from told as t
left join latest as l on t.identity = l.identity
left join known as k
    on
        t.identity = k.identity
        and (t.value = k.value or exists (select 1 from same as s where (s.one = t.value and s.other = k.value) or (s.other = t.value and s.one = k.value)))
left join known as u on t.identity = u.identity and u.value is null
group by t.identity, t.value, l.identity, l.number
