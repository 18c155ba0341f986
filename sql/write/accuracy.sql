-- What:   Keep how far an audit's answer is from the truth: the mean over persons of the divergence of P* from P, in nats.
-- Note:   Privacy-MaxEnt section 7.1 (Estimation Accuracy): the sum over q of P(q) times the sum over s of P(s|q) ln(P(s|q) / P*(s|q)). Infinite where the truth has a value that the answer calls impossible.
insert into result.metric (audit_id, release, metric, parameter, value, passed)
with
    load as (
        select o.audit_id, r.load_id, o.position
        from model.release_order as o
        inner join published.release as r on o.release_id = r.release_id
        where o.audit_id = $audit_id and r.load_id is not null
        union all
        select a.audit_id, d.load_id, 0
        from result.audit as a
        inner join published.dataset as d on a.dataset_id = d.dataset_id
        where a.audit_id = $audit_id and d.load_id is not null
    ),

    truth as (
        select m.person_id, max_by(m.value, l.position) as value
        from load as l
        inner join original.main.microdata as m on l.load_id = m.load_id
        group by m.person_id
    ),

    leaf as (
        select t.value, coalesce(l.leaf, t.value) as leaf
        from (select distinct value from truth) as t
        left join result.value_leaf as l on l.audit_id = $audit_id and t.value = l.value
    ),

    size_of as (
        select value, count(*) as leaf_count
        from leaf
        group by value
    ),

    -- Where the truth mixes coarser and finer values, it is told by the coarser ones.
    within as (
        select f.value, c.value as coarser, count(*) as shared_count
        from leaf as f
        inner join leaf as c on f.leaf = c.leaf
        group by f.value, c.value
    ),

    coarsest as (
        select w.value, max_by(w.coarser, c.leaf_count) as told_as
        from within as w
        inner join size_of as f on w.value = f.value and w.shared_count = f.leaf_count
        inner join size_of as c on w.coarser = c.value
        group by w.value
    ),

    -- Without ids the persons of the truth are not those of the release, but their quasi-identifiers are.
    true_count as (
        select coalesce(p.qi_id, s.qi_id) as qi_id, k.told_as as value, count(*) as person_count
        from truth as t
        inner join coarsest as k on t.value = k.value
        left join published.population as p on t.person_id = p.person_id
        left join result.subject_person as s on s.audit_id = $audit_id and t.person_id = s.person_id
        where coalesce(p.qi_id, s.qi_id) is not null
        group by all
    ),

    true_share as (
        select
            qi_id,
            value,
            person_count,
            person_count / sum(person_count) over (partition by qi_id) as share
        from true_count
    ),

    in_scope as (
        select qi_id, subject_id, count(*) as person_count
        from result.subject_person
        where audit_id = $audit_id
        group by qi_id, subject_id
    ),

    expected as (
        select i.qi_id, l.value, sum(i.person_count * p.probability) as person_count
        from in_scope as i
        inner join result.posterior as p on p.audit_id = $audit_id and i.subject_id = p.subject_id
        inner join leaf as l on p.value = l.leaf
        where l.value in (select k.told_as from coarsest as k)
        group by i.qi_id, l.value
    ),

    size as (
        select qi_id, sum(person_count) as person_count
        from in_scope
        group by qi_id
    ),

    compared as (
        select
            t.person_count,
            t.share,
            coalesce(e.person_count, 0) / z.person_count as estimate
        from true_share as t
        inner join size as z on t.qi_id = z.qi_id
        left join expected as e on t.qi_id = e.qi_id and t.value = e.value
    )

select
    $audit_id,
    null,
    'estimation_accuracy',
    'nats',
    sum(person_count * case when estimate > 0 then ln(share / estimate) else cast('infinity' as double) end) / sum(person_count),
    null
from compared
having count(*) > 0
