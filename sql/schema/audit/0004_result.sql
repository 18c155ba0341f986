-- What audits found. An audit never changes its meaning: it keeps who its subjects were and what it read.

create sequence result.audit_key;

-- One row per audit.
create table result.audit (
    audit_id bigint not null primary key, -- key
    dataset varchar not null,             -- name of the dataset
    adversary varchar not null,           -- whose knowledge was assumed
    releases varchar [] not null,         -- names of the releases in scope, in order of publication
    started_at timestamp not null,      -- when it began (UTC)
    finished_at timestamp,              -- when it ended (UTC)
    status varchar not null,              -- running, solved, infeasible or failed
    person_count bigint,                  -- persons in scope
    subject_count bigint,                 -- sets of persons whom nothing in scope tells apart
    cell_count bigint,                    -- pairs of subject and value that may be possible
    constraint_count bigint,              -- published figures that the answer must satisfy
    component_count bigint,               -- parts that nothing in scope connects
    entropy_bits double,                  -- what remains unknown, summed over persons
    max_residual double,                  -- certificate: largest relative violation of a published figure
    duality_gap double,                   -- certificate: relative distance to the optimum
    verdict varchar not null,             -- pass, breach, unjudged (no policy) or unknown (not solved)
    dataset_id bigint not null,           -- key of the dataset
    unit varchar not null,                -- person, or record where each row was audited as a person of its own
    is_full_model boolean not null,       -- whether everything went to the general solver
    message varchar,                      -- why it was not solved, in words
    options json not null,                -- all options as given
    versions json not null                -- of dbaudit and of what it computes with
);

-- The releases in an audit's scope.
create table result.audit_release (
    audit_id bigint not null,  -- the audit
    release_id bigint not null -- the release
);

-- What an audit read, so that it can be told later whether it was this.
create table result.audit_input (
    audit_id bigint not null, -- the audit
    kind varchar not null,    -- release, population or domain
    name varchar not null,    -- which one
    digest varchar not null   -- SHA-256 of its files, or of the text of the list
);

-- The subjects of an audit: persons whom nothing in scope tells apart.
create table result.subject (
    audit_id bigint not null,     -- the audit
    subject_id bigint not null,   -- key within the audit
    person_count bigint not null, -- persons in it
    is_closed boolean not null    -- answered in closed form, without the solver
);

-- The buckets in which the persons of a subject stand, at most one in each release.
create table result.subject_bucket (
    audit_id bigint not null,   -- the audit
    subject_id bigint not null, -- the subject
    release_id bigint not null, -- the release
    bucket_id bigint not null   -- the bucket
);

-- Who the subjects were.
create table result.subject_person (
    audit_id bigint not null,   -- the audit
    subject_id bigint not null, -- the subject
    person_id bigint not null,  -- the person
    qi_id bigint not null       -- the person's quasi-identifiers as this audit took them
);

-- The answer: how probable each value is for a person of a subject.
create table result.posterior (
    audit_id bigint not null,     -- the audit
    subject_id bigint not null,   -- the subject
    place varchar not null,       -- empty, or the bucket of a named person whose bucket is uncertain
    value varchar not null,       -- the sensitive value
    probability double not null,  -- between 0 and 1; sums to 1 within a subject
    is_forced boolean not null    -- proven to be 0, or 1, in everything that agrees with the publications
);

-- What is certain of one person: least and greatest probability over everything that agrees with the publications.
create table result.bound (
    audit_id bigint not null,   -- the audit
    subject_id bigint not null, -- the subject
    place varchar not null,     -- as in result.posterior
    value varchar not null,     -- the sensitive value
    lower double not null,      -- 1 is a proven disclosure
    upper double not null       -- 0 is a proven exclusion
);

-- The solver's price of each figure: with the posterior it proves that the answer is optimal.
create table result.multiplier (
    audit_id bigint not null,        -- the audit
    constraint_key varchar not null, -- the figure, as in model.constraint_bound
    multiplier double not null       -- in nats per person
);

-- Which publications contradict each other, where an audit is infeasible.
create table result.conflict (
    audit_id bigint not null,       -- the audit
    constraint_key varchar not null -- one of a smallest set of figures that cannot hold together
);

-- What a policy found. Empty where an audit was not judged.
create table result.finding (
    audit_id bigint not null,     -- the audit
    policy_rule varchar not null, -- the rule that was broken
    person_id bigint,             -- whom it concerns
    value varchar,                -- which value
    measure double,               -- what was measured
    threshold double              -- what was allowed
);

-- Measures of releases and audits.
create table result.metric (
    audit_id bigint not null, -- the audit
    release varchar,          -- the release, or null for all in scope
    metric varchar not null,  -- what was measured
    parameter varchar,        -- with which parameter
    value double,             -- the result
    passed boolean            -- whether it is what was asked for, or null where nothing was
);
