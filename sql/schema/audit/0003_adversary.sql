-- What somebody is assumed to know beside the publications.

-- A named bundle of assumed knowledge.
create table adversary.adversary (
    adversary varchar not null primary key, -- name
    remark varchar                          -- what it stands for
);

insert into adversary.adversary (adversary, remark) values
    ('default', 'assumed where an audit names nobody else'),
    ('none', 'knows only what was published');
