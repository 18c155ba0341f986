-- What:   Begin an audit.
-- Note:   It is seen by others only once it is complete: everything happens in one transaction.
insert into result.audit (
    audit_id, dataset, adversary, releases, started_at, status, verdict, dataset_id, unit, is_full_model, options, versions
)
values (
    $audit_id, $dataset, $adversary, $releases, $started_at, 'running', 'unknown', $dataset_id, $unit, $is_full_model, $options, $versions
)
