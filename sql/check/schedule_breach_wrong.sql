-- What:   Something to tell that no run found, in no known state, or said to be told without an attempt.
-- Note:   A command was told if it ended with 0.
select b.breach_key, b.schedule_id, b.status
from schedule.breach as b
left join schedule.judgement as j
    on b.run_id = j.run_id and b.candidate is not distinct from j.candidate and b.finding_digest = j.finding_digest and b.breach_key = j.breach_key
where
    j.run_id is null or b.status not in ('pending', 'told', 'failing', 'void')
    or (b.status = 'told' and (b.attempt_count = 0 or b.exit_code is distinct from 0))
