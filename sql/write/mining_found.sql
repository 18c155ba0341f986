-- What:   The strongest rules found so far; none in the beginning.
-- Note:   The same order everywhere: by confidence, then support, then fewer columns, then name.
create or replace temp table mining_rule (
    is_positive boolean, confidence double, support bigint, attribute_count integer,
    columns bigint, code hugeint, value bigint, person_count bigint, value_count bigint
)
