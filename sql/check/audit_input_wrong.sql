-- What:   Inputs of an audit that are of no known kind, or releases in scope, assumed statements or named persons whose digest was not kept.
-- Note:   The digests tell later what an audit read.
select audit_id, kind, name
from result.audit_input
where kind not in ('release', 'population', 'domain', 'hierarchy', 'statement', 'person', 'rules')
union all
select s.audit_id, 'release' as kind, r.release as name
from result.audit_release as s
inner join published.release as r on s.release_id = r.release_id
left join result.audit_input as i on s.audit_id = i.audit_id and i.kind = 'release' and r.release = i.name and r.digest = i.digest
where i.audit_id is null
union all
select k.audit_id, 'statement' as kind, cast(k.statement_id as varchar) as name
from result.audit_statement as k
left join result.audit_input as i
    on k.audit_id = i.audit_id and i.kind = 'statement' and cast(k.statement_id as varchar) = i.name and sha256(k.statement) = i.digest
where i.audit_id is null and not k.is_mined
union all
select distinct k.audit_id, 'rules' as kind, 'rules' as name
from result.audit_statement as k
left join result.audit_input as i on k.audit_id = i.audit_id and i.kind = 'rules'
where k.is_mined and i.audit_id is null
union all
select distinct q.audit_id, 'person' as kind, n.person as name
from result.named_qi as q
inner join published.person as n on q.person_id = n.person_id
left join result.audit_input as i on q.audit_id = i.audit_id and i.kind = 'person' and n.person = i.name
where i.audit_id is null
