-- What:   Store a statement.
-- Note:   It counts in later audits that assume its adversary.
insert into adversary.statement (statement_id, dataset_id, adversary, statement, added_at)
values ($statement_id, $dataset_id, $adversary, $statement, now() at time zone 'UTC')
