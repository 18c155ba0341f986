-- What:   Store a release whose records are staged.
-- Note:   Its members, buckets and counts follow in the same transaction.
insert into published.release (
    release_id, dataset_id, release, form, state, published_on, unit, record_count, bucket_count, source, digest, added_at, load_id
)
select
    $release_id,
    $dataset_id,
    $release,
    $form,
    $state,
    coalesce($published_on, current_date),
    $unit,
    sum(member_count),
    count(*),
    $source,
    $digest,
    now() at time zone 'UTC',
    $load_id
from incoming_bucket
