-- What:   A number for each value of a quasi-identifier that a rule mentions.
-- Note:   Follows write/assumed_rule_item. No other value can make a combination meet a rule's condition.
create or replace temp table pattern_code as
select column_name, item, row_number() over (partition by column_name order by item asc) as code
from (select distinct column_name, item from assumed_rule_item) as mentioned
