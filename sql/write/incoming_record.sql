-- What:   Give each record of a release its person (somebody who is known already, or a new one), bucket and quasi-identifiers.
-- Note:   New persons are numbered by record, so that no lookup is needed after they are stored.
create or replace temp table incoming_record as
select
    i.record,
    b.bucket_id,
    i.qi_id,
    p.person_id is null as is_new,
    coalesce(p.person_id, $person_base + i.record) as person_id
from incoming_with_qi as i
inner join incoming_bucket as b on i.bucket = b.incoming_bucket
left join published.person as p
    on $is_followed and p.dataset_id = $dataset_id and p.release_id is null and cast(i.person as varchar) = p.person
