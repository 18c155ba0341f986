-- What:   Buckets that have another number of records than of values.
-- Says:   {count} buckets have another number of records than of values: bucket {places}. A bucket holds one value per record.
with
    record_count as (
        select bucket, count(*) as size
        from incoming
        group by bucket
    ),

    listed as (
        select bucket, sum(value_count) as size
        from incoming_value
        group by bucket
    )

select
    coalesce(cast(r.bucket as varchar), cast(v.bucket as varchar))
    || ' (' || coalesce(r.size, 0) || ' records, ' || cast(coalesce(v.size, 0) as bigint) || ' values)' as place
from record_count as r
full join listed as v on cast(r.bucket as varchar) = cast(v.bucket as varchar)
where coalesce(r.size, 0) <> coalesce(v.size, 0)
order by place
