-- The publisher's microdata. This file belongs to the publisher alone.

-- One row: which store this file belongs to.
create table main.store (
    store_id varchar not null,      -- shared with the audit file beside this one
    created_at timestamp not null -- when the file was made (UTC)
);

-- The numbered changes that made this file what it is.
create table main.migration (
    number integer not null primary key, -- order of application
    name varchar not null,               -- stem of the file under sql/schema
    digest varchar not null,             -- SHA-256 of the file as it was applied
    applied_at timestamp not null      -- when (UTC)
);

-- Which text of the views is loaded.
create table main.loaded_view (
    digest varchar not null,       -- SHA-256 over all view files
    loaded_at timestamp not null -- when (UTC)
);

-- The true sensitive value of each person.
create table main.microdata (
    load_id varchar not null,  -- the load; it counts once the audit file names it
    person_id bigint not null, -- the person, as in published.person
    value varchar not null     -- the truth
);
