"""The linear systems of Newton's method: preconditioned conjugate gradients, one set of scalars per component."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from .arrays import Floats
from .dual import Dual

Preconditioner = Callable[[Floats], Floats]

# A system that needs more steps than this is badly conditioned; the direction reached by then still goes downhill.
MAX_STEPS = 400


def conjugate_gradients(
    dual: Dual, persons: Floats, extra: Floats, rhs: Floats, precondition: Preconditioner, accuracy: Floats, noise: Floats
) -> tuple[Floats, int]:
    """Solve (Hessian at `persons` + diag(extra)) y = rhs, each component to its own relative `accuracy`.

    Rank deficiency needs no care: the systems are consistent, and directions without curvature are never entered. That ends where
    the right-hand side's rounding errors (`noise`) begin: they are not consistent, and solving for them would diverge.
    """
    solution = np.zeros_like(rhs)
    remainder = rhs.copy()
    reached = precondition(remainder)
    direction = reached.copy()
    energy = dual.dot_rows(remainder, reached)
    goal = np.maximum(accuracy**2 * energy, dual.dot_rows(noise, precondition(noise)))
    live = energy > goal
    steps = 0
    while steps < MAX_STEPS and live.any():
        image = dual.curvature(direction, persons) + extra * direction
        curvature = dual.dot_rows(direction, image)
        live &= curvature > 0
        length = np.where(live, energy / np.where(live, curvature, 1.0), 0.0)
        solution += dual.to_rows(length) * direction
        remainder -= dual.to_rows(length) * image
        reached = precondition(remainder)
        previous, energy = energy, np.where(live, dual.dot_rows(remainder, reached), energy)
        steps += 1
        live &= energy > goal
        direction = reached + dual.to_rows(np.where(live, energy / np.where(previous > 0, previous, 1.0), 0.0)) * direction
    return solution, steps


def jacobi(dual: Dual, persons: Floats, extra: Floats) -> Preconditioner:
    """Divide by the diagonal."""
    diagonal = dual.curvature_diagonal(persons) + extra
    inverse = 1.0 / np.where(diagonal > 0, diagonal, 1.0)
    return lambda vector: vector * inverse
