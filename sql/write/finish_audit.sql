-- What:   Complete the row of an audit that was solved.
-- Note:   Follows write/finding where there is a limit. The sizes and the entropy are counted from what was stored.
update result.audit
set
    finished_at = $finished_at,
    status = 'solved',
    verdict = case
        when $max_probability is null then 'unjudged'
        when exists (select 1 from result.finding as f where f.audit_id = $audit_id) then 'breach'
        else 'pass'
    end,
    person_count = m.person_count,
    subject_count = m.subject_count,
    cell_count = m.cell_count,
    constraint_count = m.figure_count + m.statement_count,
    component_count = m.closed_component_count + $open_component_count,
    entropy_bits = m.entropy_bits,
    max_residual = greatest(m.max_residual, $residual),
    duality_gap = greatest(m.duality_gap, $duality_gap),
    message = $message
from model.audit_measure as m
where result.audit.audit_id = $audit_id and m.audit_id = $audit_id
