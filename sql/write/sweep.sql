-- What:   Keep to which sweep an audit belongs, and how many rules it assumed.
-- Note:   Together with the audit itself.
insert into result.sweep (sweep_id, audit_id, bound, positive_count, negative_count)
values ($sweep_id, $audit_id, $bound, $positive_count, $negative_count)
