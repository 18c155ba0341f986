-- What the world has seen, or may be assumed to know.

create sequence published.dataset_key;
create sequence published.release_key;

-- A table of persons about which releases are published.
create table published.dataset (
    dataset_id bigint not null primary key, -- key
    dataset varchar not null,               -- name; unique
    unit varchar not null,                  -- person (a person has one record in a release) or record (each row is a person of its own)
    null_value varchar,                     -- what a missing sensitive value is called; null: it is refused
    population_source varchar,              -- population, microdata, or null where nobody is known beside the releases
    population_digest varchar,              -- SHA-256 of the file of the population; for microdata of its persons and quasi-identifiers alone
    load_id varchar,                        -- the load of microdata in the file of the truth that counts
    created_at timestamp not null         -- when it was declared (UTC)
);

-- The columns of a dataset and what each is for.
create table published.dataset_column (
    dataset_id bigint not null,   -- the dataset
    position integer not null,    -- order in which the columns were declared, within a role
    column_name varchar not null, -- name in the files
    role varchar not null         -- id, qi (quasi-identifier) or sensitive
);

-- Sensitive values that are known to be possible, whether or not a release shows them.
create table published.domain_value (
    dataset_id bigint not null, -- the dataset
    value varchar not null,     -- the value
    source varchar not null     -- declared, or microdata
);

-- A sensitive value and its parts, one for each sensitive column.
create table published.value_part (
    dataset_id bigint not null,   -- the dataset
    value varchar not null,       -- the value; several columns are combined as a=x; b=y
    column_name varchar not null, -- the sensitive column
    part varchar not null         -- its part of the value
);

-- A combination of quasi-identifier values, exact or generalized.
create table published.qi (
    qi_id bigint not null,      -- key
    dataset_id bigint not null, -- the dataset
    tuple varchar not null,     -- the values as text, by column: what makes two combinations the same
    qi variant not null         -- the values, each with its own type
);

-- Somebody who may be in the data.
create table published.person (
    person_id bigint not null,  -- key
    dataset_id bigint not null, -- the dataset
    release_id bigint,          -- the only release where the person stands, if persons have no id
    person varchar not null     -- the id, or release#row where there is none
);

-- Persons who are known to be in the data, with their exact quasi-identifiers.
create table published.population (
    dataset_id bigint not null, -- the dataset
    person_id bigint not null,  -- the person
    qi_id bigint not null       -- the exact quasi-identifiers
);

-- A publication of a dataset, or a candidate for one.
create table published.release (
    release_id bigint not null primary key, -- key; in order of registration
    dataset_id bigint not null,             -- the dataset
    release varchar not null,               -- name; unique among the releases that were not removed
    form varchar not null,                  -- bucketized, anatomy or generalized
    state varchar not null,                 -- candidate, published, withdrawn or removed
    published_on date not null,             -- the day of publication
    unit varchar not null,                  -- person or record
    record_count bigint not null,           -- records in it
    bucket_count bigint not null,           -- buckets in it
    source varchar not null,                -- names of the files it was read from
    digest varchar not null,                -- SHA-256 of these files, in the same order
    added_at timestamp not null           -- when it was registered (UTC)
);

-- A group of records whose sensitive values were published together.
create table published.bucket (
    release_id bigint not null,  -- the release
    bucket_id bigint not null,   -- key, unique in the store
    bucket varchar not null,     -- name in the release; for a generalized release its tuple
    member_count bigint not null -- records in it
);

-- Who stands in which bucket, with the quasi-identifiers as they were published.
create table published.member (
    release_id bigint not null, -- the release
    bucket_id bigint not null,  -- the bucket
    person_id bigint not null,  -- the person
    qi_id bigint not null       -- the quasi-identifiers as published
);

-- How often each sensitive value was published for a bucket.
create table published.bucket_value (
    release_id bigint not null, -- the release
    bucket_id bigint not null,  -- the bucket
    value varchar not null,     -- the value
    value_count bigint not null -- its number of occurrences
);
