-- What:   Complete the row of an audit that has no answer.
-- Note:   Nothing of it may look like an answer: the verdict is unknown.
update result.audit
set
    finished_at = $finished_at,
    status = $status,
    verdict = 'unknown',
    person_count = (select sum(person_count) from result.subject where audit_id = $audit_id),
    subject_count = (select count(*) from result.subject where audit_id = $audit_id),
    max_residual = $residual,
    duality_gap = $duality_gap,
    message = $message
where audit_id = $audit_id
