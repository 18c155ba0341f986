-- What:   Store the combinations of quasi-identifiers that the dataset does not have yet.
-- Note:   The same text is the same combination, whatever the types of the columns were in this file.
--         In order of the text: the same files give the same keys.
insert into published.qi (qi_id, dataset_id, tuple, qi)
select
    (select coalesce(max(k.qi_id), 0) from published.qi as k) + row_number() over (order by i.tuple),
    $dataset_id,
    i.tuple,
    cast(i.qi as variant)
from incoming_qi as i
left join published.qi as q on q.dataset_id = $dataset_id and i.tuple = q.tuple
where q.qi_id is null
