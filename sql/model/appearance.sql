-- What:   How often a person appears in the releases that an audit looks at, and in which buckets.
-- Grain:  audit_id, person_id
-- Source: MATHS 1: persons are indistinguishable if they stand in the same bucket of every release
-- Note:   The buckets are a list of keys, not text: DuckDB sorts and compares whole numbers several times faster than it joins them into strings.
create view model.appearance as
select
    audit_id,                                -- the audit
    person_id,                               -- the person
    count(*) as release_count,               -- releases in scope where the person stands
    min(bucket_id) as first_bucket_id,       -- the bucket with the least key among them
    list_sort(list(bucket_id)) as buckets    -- all of them, in order
from model.member_in_scope
group by audit_id, person_id;
