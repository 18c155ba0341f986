-- Persons who are known by name in releases without ids: nobody knows which record is theirs.

-- Somebody who is known by name, and by some quasi-identifiers.
create table adversary.named_person (
    person_id bigint not null,   -- the person, as in published.person
    dataset_id bigint not null,  -- the dataset whose records are meant
    person varchar not null,     -- name; unique in the dataset
    qi varchar not null,         -- the quasi-identifiers that were given, as a JSON object of texts; null is a missing value
    added_at timestamp not null  -- when (UTC)
);

-- Whose records a named person may be, as an audit took it: those with one of these quasi-identifiers.
create table result.named_qi (
    audit_id bigint not null,  -- the audit
    person_id bigint not null, -- the named person
    qi_id bigint not null      -- quasi-identifiers, as records in scope have them, that cover his own
);

-- Whom the solver looks for in the records that named persons may be: each named person, and the others of a pool together.
create table result.pool_subject (
    audit_id bigint not null,    -- the audit
    subject_id bigint not null,  -- key within the audit, beside those of result.subject
    pool_id bigint not null,     -- named persons who may be the same record are in one pool, which is called after the first of them
    kind varchar not null,       -- named (one person), or other (whoever else has a record there)
    person_count bigint not null -- persons in it; they are counted in result.subject already, by their records
);

-- Who the named persons of an audit were.
create table result.named_person (
    audit_id bigint not null,   -- the audit
    subject_id bigint not null, -- his subject in result.pool_subject
    person_id bigint not null   -- the person
);

-- Where the subjects of a pool may stand.
create table result.standing (
    audit_id bigint not null,         -- the audit
    subject_id bigint not null,       -- a subject of result.pool_subject
    place varchar not null,           -- the bucket, with a number where several groups of records in it must be told apart
    record_subject_id bigint not null -- the records there: a subject of result.subject
);

alter table result.subject add column kind varchar default 'person';

comment on column result.subject.kind is 'person, or record where one of them may be a named person: its answer is the share among those who may stand there';
comment on column result.audit_input.kind is 'release, population, domain, hierarchy, statement or person (somebody who was named)';
comment on column result.audit_input.digest is 'SHA-256 of its files, or of the text of the list, statement or description';
comment on column result.audit.cell_count is 'pairs of subject and value that may be possible; with a place for named persons and those beside them';
comment on column result.bound.place is 'empty: bounds are of a value, wherever a named person stands';
