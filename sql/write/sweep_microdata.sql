-- What:   Remove loads that no dataset and no release names: what a crash, or a removal, left behind.
-- Note:   Runs before each load and after each removal.
delete from original.main.microdata
where load_id not in (
    select load_id from audit.published.dataset where load_id is not null
    union
    select load_id from audit.published.release where load_id is not null
)
