-- What:   Declare a dataset.
-- Note:   Its persons, columns and domain follow in the same transaction.
insert into published.dataset (
    dataset_id, dataset, unit, null_value, population_source, population_digest, load_id, created_at, link, values_may_change
)
values ($dataset_id, $dataset, $unit, $null_value, $population_source, $population_digest, $load_id, now() at time zone 'UTC', $link, $values_may_change)
