-- What:   The persons in an audit's scope by name, each with the key of the quasi-identifiers.
-- Note:   Follows write/statement_scope; statement_typed has the quasi-identifiers that statements look at. How many they are is the user's affair.
create or replace temp view statement_named as
select s.person_id, n.person, y.* exclude (qi_id) -- noqa: AM04, RF02
from statement_scope as s
inner join published.person as n on s.person_id = n.person_id
inner join statement_typed as y on s.qi_id = y.qi_id
