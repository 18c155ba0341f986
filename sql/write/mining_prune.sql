-- What:   Forget the sets of columns in which no pattern has enough persons.
-- Note:   Follows write/mining_antecedent.
delete from mining_subset
where columns not in (select a.columns from mining_antecedent as a)
