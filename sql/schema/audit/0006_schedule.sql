-- Audits that run by themselves: what is planned, what became of it, and whom it was told to.

create schema schedule;
create sequence schedule.schedule_key;
create sequence schedule.run_key;
create sequence schedule.event_key;

-- An audit that runs again and again.
create table schedule.schedule (
    schedule_id bigint not null primary key, -- key; never given to another schedule
    schedule varchar not null,               -- name
    dataset varchar not null,                -- name of the dataset to audit
    cron varchar not null,                   -- when, in the five fields of cron
    time_zone varchar not null,              -- whose clock cron's fields are read on
    adversary varchar not null,              -- whose knowledge is assumed
    max_probability double,                  -- the limit, or null where nothing is judged
    watch_folder varchar,                    -- where candidates are laid down, or null
    on_breach varchar,                       -- the command that is told, or null
    breach_timeout double not null,          -- seconds after which that command is ended
    added_at timestamp not null,             -- when it was made (UTC)
    next_due timestamp not null,             -- when it runs next (UTC)
    paused_at timestamp                      -- since when it rests (UTC), or null
);

-- One run of a schedule.
create table schedule.run (
    run_id bigint not null primary key, -- key; in order of their beginning
    schedule_id bigint not null,        -- the schedule
    trigger varchar not null,           -- due, or now where somebody asked for it
    due_at timestamp,                   -- when it was due (UTC); null where somebody asked for it
    started_at timestamp not null,      -- when it began (UTC)
    finished_at timestamp,              -- when it ended (UTC), or when it was found dead
    status varchar not null,            -- running, finished or failed
    process varchar not null,           -- which process on which machine
    message varchar                     -- why it failed, or why there was nothing to do
);

-- What a run found: of the published history, and of each candidate on top of it.
create table schedule.judgement (
    run_id bigint not null,       -- the run
    candidate varchar,            -- name of the candidate, or null for the published history alone
    audit_id bigint,              -- the audit; null where none could be made
    is_repeated boolean not null, -- an earlier audit read the same and found the same: no copy was stored
    verdict varchar not null,     -- pass, breach, unjudged or unknown
    finding_count bigint not null, -- findings of the audit
    finding_digest varchar,       -- SHA-256 of what there is to tell; null where there is nothing
    breach_key varchar,           -- under which key it is told, or null
    message varchar               -- in words
);

-- A set of findings that a command is told of.
create table schedule.breach (
    breach_key varchar not null primary key, -- by which a receiver can drop repeats
    schedule_id bigint not null,             -- the schedule
    run_id bigint not null,                  -- the run that found it first
    candidate varchar,                       -- as in the judgement
    finding_digest varchar not null,         -- as in the judgement
    occurrence bigint not null,              -- 1, or more where the same findings were gone and came back
    status varchar not null,                 -- pending, told, failing (it is tried again) or void (there is nothing left to tell)
    attempt_count bigint not null,           -- how often the command was run
    last_at timestamp,                       -- when it last ended (UTC)
    exit_code integer,                       -- how it last ended; null where it did not end by itself
    message varchar                          -- the last lines of its stderr, or why it could not be run
);

-- What was seen in a watched folder.
create table schedule.event (
    event_id bigint not null,    -- key; in order
    schedule_id bigint not null, -- the schedule
    run_id bigint not null,      -- the run that saw it first
    first_at timestamp not null, -- when it was first seen (UTC)
    last_at timestamp not null,  -- when it was last seen (UTC)
    manifest varchar not null,   -- name of the manifest
    manifest_digest varchar not null, -- SHA-256 of the manifest
    state varchar not null,      -- waiting, refused or registered
    release varchar,             -- name of the release, once it can be read
    release_digest varchar,      -- SHA-256 of its files, once it is registered
    message varchar not null,    -- in words
    dataset_id bigint            -- the dataset for which it was seen: one that was declared again is another
);
