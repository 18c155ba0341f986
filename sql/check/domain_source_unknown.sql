-- What:   Possible values of which it is not known who says so.
-- Note:   Declared by the user, or taken from the microdata.
select dataset_id, value, source
from published.domain_value
where source not in ('declared', 'microdata')
