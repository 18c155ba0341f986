-- The store itself. Comments behind columns and above tables are loaded into the catalogue.

create schema published;
create schema adversary;
create schema model;
create schema result;
create schema report;

-- One row: which store this file belongs to; the file of the truth carries the same id.
create table main.store (
    store_id varchar not null,      -- shared with the file of the truth beside this one
    created_at timestamp not null -- when the store was made (UTC)
);

-- The numbered changes that made this file what it is.
create table main.migration (
    number integer not null primary key, -- order of application
    name varchar not null,               -- stem of the file under sql/schema
    digest varchar not null,             -- SHA-256 of the file as it was applied
    applied_at timestamp not null      -- when (UTC)
);

-- Which text of the views is loaded, so that a new version of dbaudit loads its own.
create table main.loaded_view (
    digest varchar not null,       -- SHA-256 over all view files
    loaded_at timestamp not null -- when (UTC)
);
