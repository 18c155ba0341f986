-- What:   Audits whose dataset does not exist, or has another name.
-- Note:   A dataset is removed only together with its audits.
select a.audit_id, a.dataset
from result.audit as a
left join published.dataset as d on a.dataset_id = d.dataset_id and a.dataset = d.dataset
where d.dataset_id is null
