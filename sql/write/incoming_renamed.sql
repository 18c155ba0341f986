-- What:   Call the persons of a release by the names that their true values give them.
-- Note:   Follows write/incoming_identity.
create or replace temp table incoming as
select i.* replace (y.name as person) -- noqa: AM04
from incoming as i
inner join incoming_identity as y on cast(i.person as varchar) = y.identity
