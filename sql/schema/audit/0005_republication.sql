-- Release after release: who is followed how, what coarser values stand for, and the truth of each release.

alter table published.dataset add column link varchar;
alter table published.dataset add column values_may_change boolean default false;
alter table published.release add column load_id varchar;
alter table published.person add column identity varchar;

comment on column published.dataset.link is 'qi where records without an id are linked by quasi-identifiers that are unique; null otherwise';
comment on column published.dataset.values_may_change is 'whether a changed sensitive value makes a new person';
comment on column published.release.load_id is 'the load of its microdata in the file of the truth, if it was given';
comment on column published.person.identity is 'the id in the files, where a changed value may make several persons of one id; null otherwise';

-- A tree of values of a column: which finer values a coarser one stands for.
create table published.hierarchy (
    dataset_id bigint not null,   -- the dataset
    column_name varchar not null, -- the column
    height integer not null,      -- steps from a leaf to the root
    leaf_count bigint not null,   -- values at the bottom
    source varchar not null,      -- name of the file it was read from
    digest varchar not null,      -- SHA-256 of that file
    added_at timestamp not null   -- when it was declared (UTC)
);

-- For each leaf of a hierarchy the value that stands for it at each level.
create table published.hierarchy_node (
    dataset_id bigint not null,   -- the dataset
    column_name varchar not null, -- the column
    leaf varchar not null,        -- the value at the bottom
    level integer not null,       -- 0 for the leaf itself, then upwards
    node varchar not null         -- the value at that level
);

-- Sensitive values in an audit's scope that stand for several finer ones. A value that is absent stands for itself.
create table result.value_leaf (
    audit_id bigint not null, -- the audit
    value varchar not null,   -- as published
    leaf varchar not null     -- a finer value that it may mean
);

-- Records without an id that an audit took to be the same person as an earlier record.
create table result.linked_person (
    audit_id bigint not null,         -- the audit
    record_person_id bigint not null, -- the person of the later record
    person_id bigint not null         -- the person of the earliest record, after which all are named
);
