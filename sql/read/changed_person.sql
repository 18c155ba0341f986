-- What:   How many persons of a release have another true value than before.
-- Note:   Follows write/incoming_identity.
select count(*) as person_count, min(identity) as person
from incoming_identity
where is_changed and identity in (select cast(i.person as varchar) from incoming as i)
