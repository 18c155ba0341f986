"""Maximum entropy, or least divergence from a prior, under linear constraints, with a proof.

    from dbaudit.maxent import Problem, solve

`solve` gives the answer and its certificate; `forced` the cells that are impossible; `bounds` what is certain of a cell or a set of
cells; `exact_worlds` counts whole assignments where that is feasible. NumPy and SciPy in, NumPy out.
"""

from .bounds import bounds
from .errors import Infeasible, MaxentError, NotSolved, TooLarge
from .problem import Problem, Progress, Solution
from .solve import forced, solve
from .worlds import Worlds, exact_worlds

__all__ = ["Infeasible", "MaxentError", "NotSolved", "Problem", "Progress", "Solution", "TooLarge", "Worlds", "bounds", "exact_worlds", "forced", "solve"]
