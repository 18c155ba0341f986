-- What:   The values of the microdata are possible, whoever has them.
-- Note:   Only which values there are leaves the file of the truth, not who has them.
insert into published.domain_value (dataset_id, value, source)
select $dataset_id, value, 'microdata'
from incoming_distinct_value
