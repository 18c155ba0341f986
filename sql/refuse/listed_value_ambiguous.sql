-- What:   Different combinations of sensitive values that would be written alike.
-- Says:   {count} values can be read in more than one way once their columns are combined: {places}. Rename them, without "; " or "=".
select value as place
from incoming_value_row
where parts is not null
group by value
having count(distinct parts) > 1
order by value
