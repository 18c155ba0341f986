-- What:   Forget the conditions of rules that are gone.
-- Note:   Runs after rules, an adversary or a dataset were removed.
delete from adversary.rule_item
where rule_id not in (select r.rule_id from adversary.rule as r)
