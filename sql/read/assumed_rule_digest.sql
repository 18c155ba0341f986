-- What:   A digest of all rules that an audit assumes, and how many there are of each kind.
-- Note:   In order of their kind and rank.
select
    sha256(string_agg(statement, chr(10) order by is_positive desc, rank asc)) as digest,
    count(*) filter (where is_positive) as positive_count,
    count(*) filter (where not is_positive) as negative_count
from assumed_rule
