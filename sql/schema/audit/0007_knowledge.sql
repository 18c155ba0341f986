-- What somebody is assumed to know beside the publications: statements, and what each of them meant to an audit.

create sequence adversary.statement_key;

-- A statement about probabilities or counts that an adversary is assumed to know.
create table adversary.statement (
    statement_id bigint not null primary key, -- key; in order of entry
    dataset_id bigint not null,               -- the dataset it speaks of
    adversary varchar not null,               -- who knows it
    statement varchar not null,               -- as it was written, without comments and needless blanks
    added_at timestamp not null               -- when (UTC)
);

-- The statements that an audit assumed, as they were then: lower <= the sum of its terms <= upper.
create table result.audit_statement (
    audit_id bigint not null,     -- the audit
    statement_id bigint not null, -- the statement
    statement varchar not null,   -- its text
    lower double,                 -- least value, or null
    upper double                  -- greatest value, or null
);

-- The terms of a statement: each a multiple of the share, or the number, of some persons who have one of some values.
create table result.statement_term (
    audit_id bigint not null,     -- the audit
    statement_id bigint not null, -- the statement
    term integer not null,        -- numbered from 1
    coefficient double not null,  -- how often it counts
    is_count boolean not null,    -- whether it is a number of persons instead of their share
    matched_by varchar not null,  -- everybody, qi (who has some quasi-identifiers: result.statement_qi) or person (result.statement_person)
    person_count bigint not null  -- persons in scope whom it speaks of
);

-- The sensitive values that a term counts.
create table result.statement_value (
    audit_id bigint not null,     -- the audit
    statement_id bigint not null, -- the statement
    term integer not null,        -- the term
    value varchar not null        -- a value that was possible in this audit
);

-- The quasi-identifiers whose persons a term speaks of.
create table result.statement_qi (
    audit_id bigint not null,     -- the audit
    statement_id bigint not null, -- the statement
    term integer not null,        -- the term
    qi_id bigint not null         -- quasi-identifiers that meet its condition
);

-- The persons whom a term speaks of, where its condition says who.
create table result.statement_person (
    audit_id bigint not null,     -- the audit
    statement_id bigint not null, -- the statement
    term integer not null,        -- the term
    person_id bigint not null     -- a person who meets its condition
);

comment on column result.audit_input.kind is 'release, population, domain, hierarchy or statement';
comment on column result.audit_input.digest is 'SHA-256 of its files, or of the text of the list or statement';
comment on column result.audit.constraint_count is 'published figures, and statements of the adversary, that the answer must satisfy';
