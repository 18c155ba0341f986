-- What:   SHA-256 of the persons of a population with their quasi-identifiers, as the audit file has them.
-- Note:   For microdata. The digest of the file itself would let whoever has the audit file try out truths until one fits.
select sha256(string_agg(coalesce(cast(i.person as varchar), '') || ' ' || q.tuple, chr(10) order by i.record)) as digest
from incoming_with_qi as i
inner join published.qi as q on i.qi_id = q.qi_id
