-- What:   Adversaries that always exist, and do not.
-- Note:   default is assumed where an audit names nobody; none knows only what was published.
with
    wanted as (
        select unnest(['default', 'none']) as adversary
    )

select w.adversary
from wanted as w
left join adversary.adversary as a on w.adversary = a.adversary
where a.adversary is null
