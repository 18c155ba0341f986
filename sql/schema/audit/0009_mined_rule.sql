-- Knowledge that is mined from the data with a bound: the strongest rules, and audits under one bound after the other.

-- A rule mined from the data that an adversary is assumed to know: among the persons of a condition, how many have a value.
create table adversary.rule (
    rule_id bigint not null primary key, -- key; statements and rules are numbered together
    dataset_id bigint not null,          -- the dataset it speaks of
    adversary varchar not null,          -- who knows it
    is_positive boolean not null,        -- whether it says that persons of the condition have the value, or that they do not
    rank bigint not null,                -- 1 for the strongest of its kind
    rule varchar not null,               -- in words, as it is mined: condition => value
    statement varchar not null,          -- what it says, in the language of statements
    value varchar not null,              -- the sensitive value
    attribute_count integer not null,    -- quasi-identifiers in its condition
    person_count bigint not null,        -- persons who meet the condition
    value_count bigint not null,         -- those of them who have the value
    support bigint not null,             -- persons who bear it out
    confidence double not null,          -- their share among those who meet the condition
    over_release_id bigint,              -- the release whose persons it speaks of; null: those of the population
    added_at timestamp not null          -- when it was mined (UTC)
);

-- The condition of a rule: a value for each of some quasi-identifiers.
create table adversary.rule_item (
    rule_id bigint not null,      -- the rule
    column_name varchar not null, -- the quasi-identifier
    item varchar not null         -- its value, as text
);

alter table result.audit_statement add column is_mined boolean default false;
alter table result.statement_term add column over_release_id bigint;
alter table result.statement_term add column is_over_population boolean default false;

comment on column result.audit_statement.is_mined is 'whether it is a rule that was mined from the data';
comment on column result.statement_term.over_release_id is 'the release whose persons alone it speaks of, or null';
comment on column result.statement_term.is_over_population is 'whether it speaks of persons of the population alone';
comment on column result.audit_input.kind is 'release, population, domain, hierarchy, statement, person (somebody who was named) or rules';
comment on column result.audit_input.digest is 'SHA-256 of its files, or of the text of the list, statement or description, or of all the rules';

create sequence result.sweep_key;

-- Audits that differ only in how many mined rules are assumed to be known.
create table result.sweep (
    sweep_id bigint not null,       -- key of the sweep
    audit_id bigint not null,       -- one of its audits
    bound bigint not null,          -- how many rules were asked for, half of them positive and half negative
    positive_count bigint not null, -- how many positive rules were assumed
    negative_count bigint not null  -- how many negative rules were assumed
);
