-- What:   Datasets without a quasi-identifier or a sensitive column, with more than one id, or with a gap among their columns.
-- Note:   Positions count from 1 within a role.
with
    counted as (
        select
            d.dataset_id,
            c.role,
            count(c.column_name) as column_count,
            max(c.position) as last_position
        from published.dataset as d
        left join published.dataset_column as c on d.dataset_id = c.dataset_id
        group by d.dataset_id, c.role
    ),

    judged as (
        select
            dataset_id,
            count(*) filter (where role = 'qi') as qi_count,
            count(*) filter (where role = 'sensitive') as sensitive_count,
            coalesce(max(column_count) filter (where role = 'id'), 0) as id_count,
            bool_or(last_position <> column_count) as has_gap
        from counted
        group by dataset_id
    )

select dataset_id, qi_count, sensitive_count, id_count
from judged
where qi_count = 0 or sensitive_count = 0 or id_count > 1 or has_gap
