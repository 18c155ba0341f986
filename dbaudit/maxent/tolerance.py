"""Every tolerance that decides what is called true, each with its reason.

Constants that only steer how soon an answer is found stand beside the code that they steer; a wrong one costs time or an
honest NotSolved, never a wrong answer. Persons are the unit: a constraint's activity is a number of persons, computed in double precision.
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

# Newton's last step must not have moved the logarithm of any probability by more than this: it converges quadratically, so what is left to
# do is about the square. It also proves that every remaining cell is possible, since an impossible one keeps asking for a step of -1.
LAST_STEP = 1e-5

# A cell must stand this far above the residual of its constraints for that proof to count.
ABOVE_RESIDUAL = 1e3

# The barrier's last weight, in persons times nats, and how nearly slack times multiplier must then meet it. A bound that is barely active
# has slack and multiplier of its square root each, which must still be invisible in a probability.
LEAST_BARRIER = 1e-16
CENTRED = 1e-14

# The absolute rounding error of a row's residual, relative to its bound: what linear systems are not solved beyond.
NOISE = 1e-15

# A combination of rows proves a cell impossible only if it pushes it down by at least this share of its deepest push: a claim must not hang
# on a number that is small beside the others.
CLEAR = 1e-3

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
