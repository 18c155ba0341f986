"""Why nothing is feasible: a smallest set of statements that contradict each other.

The question put to HiGHS is by how much the constraints must be relaxed, each in its own unit, until a distribution exists. If that is more than an answer's
residual may be, they contradict each other, and the constraints with a non-zero price (Farkas) already do so alone. A
deletion filter then leaves out one statement after the other; whatever remains contradictory without it did not need it.
"""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from . import tolerance
from .arrays import entries_of, largest_coefficients, ranges, renumber, size_of, submatrix
from .errors import Infeasible, NotSolved
from .linear_program import INFINITY, LinearProgram, feasible_set
from .problem import Bools, Ints, Problem

# The first look is at the surroundings of where a contradiction showed; each further one is this many hops wider.
HOPS = 2
PRICE = 1e-9


def explain(problem: Problem, rows: Ints) -> Infeasible | None:
    """The smallest contradiction near some rows, or None if HiGHS finds that these can hold after all."""
    seen = _rows_mask(problem, rows)
    while True:
        near = seen
        for _ in range(HOPS):
            near = _widen(problem, near)
        statements = np.unique(problem.statement[near])
        conflict = _smallest(problem, statements)
        if conflict is not None:
            return Infeasible([problem.label(int(row)) for row in conflict])
        if (near == seen).all():
            return None
        seen = near


def _rows_mask(problem: Problem, rows: Ints) -> Bools:
    mask = np.zeros(problem.row_count, dtype=bool)
    mask[rows] = True
    return mask


def _widen(problem: Problem, rows: Bools) -> Bools:
    """These rows, those that share a subject with them, and all rows of the same statements."""
    entry, _ = entries_of(problem.matrix, np.flatnonzero(rows))
    touched = np.zeros(problem.subject_count, dtype=bool)
    touched[problem.subject[problem.matrix.indices[entry]]] = True
    near = (
        np.bincount(
            np.repeat(np.arange(problem.row_count), np.diff(problem.matrix.indptr)), touched[problem.subject[problem.matrix.indices]], problem.row_count
        )
        > 0
    )
    return np.isin(problem.statement, np.unique(problem.statement[near | rows]))


def _smallest(problem: Problem, statements: Ints) -> Ints | None:
    """One row of each statement in an irreducible contradictory subset of some statements; None if they can hold together."""
    test = _Test(problem, statements)
    core = test.contradiction(statements)
    if core is None:
        return None
    needed: list[int] = []
    while len(core):
        candidate, rest = int(core[-1]), core[:-1]
        smaller = test.contradiction(np.r_[np.array(needed, dtype=np.int64), rest])
        if smaller is None:
            needed.append(candidate)
            core = rest
        else:
            core = smaller[~np.isin(smaller, needed)]
    first_row = np.full(int(problem.statement.max()) + 1, -1)
    first_row[problem.statement[::-1]] = np.arange(problem.row_count)[::-1]
    return first_row[np.sort(np.array(needed, dtype=np.int64))]


class _Test:
    """Whether some of the given statements can hold together; HiGHS keeps its basis between the questions."""

    def __init__(self, problem: Problem, statements: Ints) -> None:
        self._statement = problem.statement
        self._rows = np.flatnonzero(np.isin(problem.statement, statements))
        entry, _ = entries_of(problem.matrix, self._rows)
        subjects = np.zeros(problem.subject_count, dtype=bool)
        subjects[problem.subject[problem.matrix.indices[entry]]] = True
        first = problem.first_cell
        chosen = np.flatnonzero(subjects)
        cells = ranges(first[chosen], first[chosen + 1] - first[chosen])
        position = np.full(problem.cell_count, -1)
        position[cells] = np.arange(len(cells))
        matrix = submatrix(problem.matrix, self._rows, position, len(cells))
        self._lower, self._upper = problem.lower[self._rows], problem.upper[self._rows]
        unit = np.maximum(largest_coefficients(matrix), np.maximum(size_of(self._lower), size_of(self._upper)))
        one, low, high = feasible_set(matrix, self._lower, self._upper, renumber(subjects)[problem.subject[cells]], problem.person_count[subjects])
        self._first = len(chosen)
        # Each side of a row may be missed by `relax` times its unit: lower <= activity + unit * relax, activity - unit * relax <= upper.
        relax_up = np.r_[np.zeros(self._first), unit]
        both = sp.vstack([sp.hstack([one, sp.csr_array(relax_up[:, None])]), sp.hstack([matrix, sp.csr_array(-unit[:, None])])]).tocsr()
        self._row_count = len(self._rows)
        row_lower = np.r_[low, np.full(self._row_count, -np.inf)]
        row_upper = np.r_[high[: self._first], np.full(self._row_count, np.inf), self._upper]
        columns = both.shape[1]
        cost = np.r_[np.zeros(columns - 1), 1.0]
        upper = np.r_[problem.person_count[problem.subject[cells]], np.inf]
        self._program = LinearProgram(both, row_lower, row_upper, np.zeros(columns), upper, cost)
        self._on = np.ones(self._row_count, dtype=bool)

    def contradiction(self, statements: Ints) -> Ints | None:
        """A contradictory subset of the statements, not necessarily smallest; None if they can hold together."""
        self._switch(np.isin(self._statement[self._rows], statements))
        if not self._program.run():
            raise NotSolved("The constraints contradict each other, but HiGHS could not tell which of them.", residual=float("inf"), duality_gap=float("inf"))
        if self._program.value <= tolerance.CERTIFICATE:
            return None
        price = np.abs(self._program.row_dual[self._first :])
        priced = price[: self._row_count] + price[self._row_count :] > PRICE
        core = np.unique(self._statement[self._rows[priced & self._on]])
        return core if len(core) else statements

    def _switch(self, on: Bools) -> None:
        changed = np.flatnonzero(on != self._on)
        lower = np.where(on[changed] & np.isfinite(self._lower[changed]), self._lower[changed], -INFINITY)
        upper = np.where(on[changed] & np.isfinite(self._upper[changed]), self._upper[changed], INFINITY)
        self._program.set_row_bounds(self._first + changed, lower, np.full(len(changed), INFINITY))
        self._program.set_row_bounds(self._first + self._row_count + changed, np.full(len(changed), -INFINITY), upper)
        self._on = on
