-- What:   How many findings an audit has, and one digest for which they are.
-- Note:   Whose value breaks which rule, and whether it is certain; a probability that moves below certainty is no other finding. Without an answer: what contradicts.
with
    told as (
        select concat_ws(chr(31), policy_rule, person, value, threshold, measure >= 1 - 1e-6) as what
        from report.finding
        where audit_id = $audit_id
        union all
        select constraint_key as what
        from result.conflict
        where audit_id = $audit_id
    )

select
    count(*) as told_count,
    sha256(coalesce(string_agg(what, chr(30) order by what), '')) as digest,
    (select count(*) from result.finding as f where f.audit_id = $audit_id) as finding_count
from told
