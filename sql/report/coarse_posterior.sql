-- What:   How probable a coarser value is for each person, where a release published it: the sum over what it stands for.
-- Grain:  audit_id, person, column_name, value
-- Source: Re-publishing, section 3, summed over the leaves of a hierarchy
-- Note:   Whoever certainly has some cancer is told here, although every single kind of it may be improbable.
create view report.coarse_posterior as
select
    p.audit_id,       -- the audit
    p.person,         -- the person's id or name, or release#row
    c.part as value,  -- the coarser value
    sum(p.probability) as probability, -- how probable it is that the person has one of its leaves
    c.column_name     -- the sensitive column
from report.part_posterior as p
inner join model.coarse_part as c on p.audit_id = c.audit_id and p.column_name = c.column_name and p.part = c.leaf
group by p.audit_id, p.person, c.column_name, c.part;
