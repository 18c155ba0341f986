"""The linear systems of Newton's method: preconditioned conjugate gradients, one set of scalars per component.

Random overlaps of buckets want conjugate gradients with a diagonal preconditioner: a factorisation would fill up. Chains, and systems with
a few long rows, want the factorisation: little fill, and conjugate gradients would crawl. Which it is shows in the number of steps.
"""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp
from scipy.sparse.csgraph import reverse_cuthill_mckee
from scipy.sparse.linalg import splu

from .dual import Dual
from .problem import Floats

# A system that needs more steps than this is badly conditioned; the direction reached by then still goes downhill.
MAX_STEPS = 400
# A system that needed more than this many is worth a factorisation, if it is affordable: at most this many entries. With few rows
# (but perhaps many cells) it is worth it sooner.
MANY_STEPS = 60
FEW_ROWS = 1_000
AFFORDABLE_ENTRIES = 20_000_000
# Added to the diagonal, relative to it, so that redundant rows do not stop the factorisation. Large enough that the rounding
# errors in directions without curvature stay small, small enough that conjugate gradients undo it in a few steps.
RIDGE = 1e-9
# The least curvature, relative to the diagonal, that any direction is given: rounding errors in directions without any would otherwise
# be divided by nothing, and drive multipliers to where their own rounding hurts.
FLOOR = 1e-13
# A curvature below this share of the sum that it is what remains of is rounding error.
FLAT = 1e-15


class System:
    """(Hessian at `persons` + diag(extra)) y = rhs, for all components of a union."""

    def __init__(self, dual: Dual, persons: Floats, extra: Floats, factorise: bool = False) -> None:
        self._dual = dual
        self._persons = persons
        self._averaging = dual.averaging(persons)
        curvature, gross = dual.curvature_diagonal(persons)
        diagonal = curvature + extra
        self._extra = extra + FLOOR * diagonal
        # A row whose curvature is rounding error cannot be moved; asking for it would drown the others in noise.
        movable = diagonal > FLAT * gross
        self._inverse_diagonal = np.where(movable, 1.0 / np.where(movable, diagonal, 1.0), 0.0)
        self._factor = _factor(dual, persons, extra) if factorise else None

    def curvature(self, direction: Floats) -> Floats:
        """The Hessian times a direction."""
        return np.asarray(self._dual.matrix @ (self._persons * self._dual.centred(direction, self._averaging)))

    def size(self, vector: Floats) -> Floats:
        """[components] the square of a right-hand side's size, each row measured by its curvature."""
        return self._dual.dot_rows(vector, vector * self._inverse_diagonal)

    def solve(self, rhs: Floats, accuracy: Floats, noise: Floats) -> tuple[Floats, int]:
        """The solution, each component to its own relative accuracy, and the steps that it took.

        Rank deficiency needs no care: the systems are consistent, and directions without curvature are never entered. That ends where
        the right-hand side's rounding errors (`noise`) begin: they are not consistent, and solving for them would diverge.
        """
        dual = self._dual
        solution = np.zeros_like(rhs)
        remainder = rhs.copy()
        reached = self._precondition(remainder)
        direction = reached.copy()
        energy = dual.dot_rows(remainder, reached)
        size = self.size(rhs)
        goal = np.maximum(accuracy**2 * size, self.size(noise))
        live = size > goal
        steps = 0
        while steps < MAX_STEPS and live.any():
            image = self.curvature(direction) + self._extra * direction
            curvature = dual.dot_rows(direction, image)
            live &= curvature > 0
            length = np.where(live, energy / np.where(live, curvature, 1.0), 0.0)
            solution += dual.to_rows(length) * direction
            remainder -= dual.to_rows(length) * image
            reached = self._precondition(remainder)
            previous, energy = energy, np.where(live, dual.dot_rows(remainder, reached), energy)
            steps += 1
            live &= (energy if self._factor is None else self.size(remainder)) > goal
            direction = reached + dual.to_rows(np.where(live, energy / np.where(previous > 0, previous, 1.0), 0.0)) * direction
        return solution, steps

    def _precondition(self, vector: Floats) -> Floats:
        if self._factor is None:
            return vector * self._inverse_diagonal
        return np.asarray(np.where(self._inverse_diagonal > 0, self._factor.solve(vector), 0.0))


def factorisation_is_affordable(dual: Dual) -> bool:
    """Whether the factor will stay small: judged by the envelope of a band ordering, which bounds what a better ordering fills."""
    rows = len(dual.target)
    if rows * (rows + 1) // 2 <= AFFORDABLE_ENTRIES:
        return True
    pattern = _hessian(dual, np.ones(len(dual.subject)))
    order = reverse_cuthill_mckee(pattern, symmetric_mode=True)
    place = np.empty(rows, dtype=np.int64)
    place[order] = np.arange(rows)
    entry_row = np.repeat(place, np.diff(pattern.indptr))
    first = np.arange(rows)
    np.minimum.at(first, entry_row, place[pattern.indices])
    return bool((np.arange(rows) - first).sum() <= AFFORDABLE_ENTRIES)


def _factor(dual: Dual, persons: Floats, extra: Floats) -> sp.linalg.SuperLU | None:
    """A factorisation of the Hessian plus a ridge; None where rounding leaves nothing to factorise."""
    hessian = _hessian(dual, persons)
    diagonal, _ = dual.curvature_diagonal(persons)
    ridge = RIDGE * np.maximum(diagonal, RIDGE * diagonal.max(initial=0.0)) + extra
    try:
        return splu((hessian + sp.diags_array(ridge)).tocsc(), permc_spec="MMD_AT_PLUS_A", diag_pivot_thresh=0.0, options={"SymmetricMode": True})
    except RuntimeError:  # "Factor is exactly singular"
        return None


def _hessian(dual: Dual, persons: Floats) -> sp.csr_array:
    cells = len(dual.subject)
    by_subject = sp.csr_array((persons, dual.subject, np.arange(cells + 1)), shape=(cells, len(dual.person_count)))
    met = dual.matrix @ by_subject
    weighted = sp.csr_array((dual.matrix.data * persons[dual.matrix.indices], dual.matrix.indices, dual.matrix.indptr), shape=dual.matrix.shape)
    mean = sp.csr_array((met.data / dual.subject_sum(persons)[met.indices], met.indices, met.indptr), shape=met.shape)
    return (weighted @ dual.by_cell - mean @ met.T).tocsr()
