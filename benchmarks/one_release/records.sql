-- What:   Records of a release: ids, three quasi-identifiers of usual kinds, and five different values in each bucket of five.
-- Note:   As an l-diverse anonymiser makes them; the same rows every time.
select
    i as id,
    cast(18 + hash(i) % 70 as integer) as age,
    case when hash(i + 1) % 2 = 0 then 'male' else 'female' end as sex,
    cast(10000 + hash(i * 7) % 1000 as varchar) as zip,
    'Disease ' || ((i % 5) * 4 + hash(i * 13) % 4) as disease,
    i // 5 as bucket
from range($records) as t (i)
