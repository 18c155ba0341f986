"""Every tolerance of the solver, each with its reason. Nothing else in the package invents one.

Persons are the unit: a constraint's activity is a number of persons, computed in double precision.
"""

from __future__ import annotations

import numpy as np

from .problem import Floats

# What an answer must reach before it is called solved: the largest constraint violation and the duality gap, both relative.
# Far below anything that a publisher could act on, and reachable with room to spare once the support is exact.
CERTIFICATE = 1e-9

# Where Newton's method stops trying to improve: rounding of a row's activity makes less than this meaningless.
CONVERGED = 1e-12

# A cell is called impossible only with a proof that it holds at most this many persons in every feasible point. Statements that
# stay 1e-9 persons away from their extreme must not be mistaken for it, so it is well below that; sums of a few
# thousand terms carry rounding errors up to about 1e-12, so it cannot be much smaller.
ZERO = 1e-11

# What HiGHS is asked for: the smallest that it accepts. Its own 1e-7 is coarser than what a statement close to its extreme needs.
PROGRAM = 1e-10

# The relative rounding error that we grant to a bound that was computed (0.3 * 10 is not 3) and to an activity that was summed.
ROUNDING = 16 * float(np.finfo(np.float64).eps)


def slack(bound: float | Floats, coefficient: float | Floats = 1.0) -> Floats:
    """How far an activity may lie from a bound and still be called equal to it, in the row's own unit.

    What is concluded from equality is that cells are 0, so ZERO counts with the row's smallest coefficient.
    """
    finite = np.where(np.isfinite(bound), np.abs(bound), 0.0)
    return np.asarray(ZERO * coefficient + ROUNDING * finite)
