-- What:   Audits whose verdict is none of pass, breach, unjudged and unknown.
-- Note:   The exit code of a command rests on it.
select audit_id, verdict
from result.audit
where verdict not in ('pass', 'breach', 'unjudged', 'unknown')
