"""What is certain: the least and greatest probability of a cell, or of a set of cells, over all feasible distributions.

Linear programs, each over the components concerned only. Components are packed, whole, into programs of a convenient size, and every
program asks something of each component in it. Asking for many cells at once decides most of them: a vertex shows every cell that it puts at 0,
or at the most that the cell's own subject and rows allow, to reach that extreme. Only where a vertex shows nothing new is one
cell asked for by itself.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import scipy.sparse as sp

from . import tolerance
from .arrays import renumber, row_of_entry, submatrix
from .errors import NotSolved
from .linear_program import LinearProgram, feasible_set
from .problem import Bools, Floats, Ints, Problem, Progress, sparse_rows, whole_numbers
from .propagate import Support
from .reduce import Reduced, reduce
from .solve import find_support

# Small components share a program up to about this many cells: beyond it the simplex method's cost grows faster than linearly.
PACK_CELLS = 2_000
# One question asks for one cell in so many of a component. All at once would pull against each other, and take long.
CELLS_PER_QUESTION = 200


def bounds(problem: Problem, what: Ints | sp.csr_array, *, progress: Callable[[Progress], None] | None = None) -> tuple[Floats, Floats]:
    """Least and greatest probability of each cell asked for (an array of cells), or of each set (sparse rows over the cells).

    A row's coefficients weigh the probabilities of its cells, which may belong to several subjects. Raises Infeasible, or NotSolved
    where it could not be proven which cells are possible.
    """
    support = find_support(problem)
    if sp.issparse(what):
        return _bounds_of_sets(problem, support, sparse_rows("what", what), progress)
    cells = whole_numbers("what", what)
    if cells.size and (cells.min() < 0 or cells.max() >= problem.cell_count):
        raise ValueError(f"a cell asked for is not in 0 .. {problem.cell_count - 1}.")
    lower = np.where(support.alive & (support.live_count == 1)[problem.subject], 1.0, 0.0)
    upper = np.where(support.alive, 1.0, 0.0)
    asked = np.zeros(problem.cell_count, dtype=bool)
    asked[cells] = True
    reduced = reduce(problem, support, np.ones(problem.subject_count, dtype=bool))
    wanted = np.zeros(len(reduced.subject), dtype=bool)
    wanted[reduced.cell_of_source[asked[reduced.source_cell]]] = True
    least, greatest = _bounds_of_cells(reduced, wanted, progress)

    # One of several subjects that were lumped can take all that the group has, up to its own size, or leave all to the others.
    own = problem.person_count[problem.subject[reduced.source_cell]]
    group = reduced.person_count[reduced.subject[reduced.cell_of_source]]
    upper[reduced.source_cell] = np.minimum(greatest[reduced.cell_of_source], own) / own
    lower[reduced.source_cell] = np.maximum(least[reduced.cell_of_source] - (group - own), 0.0) / own
    return np.minimum(lower, upper)[cells], upper[cells]


def _bounds_of_cells(reduced: Reduced, wanted: Bools, progress: Callable[[Progress], None] | None) -> tuple[Floats, Floats]:
    """[cells] least and greatest number of persons in each wanted cell of a reduced problem."""
    least, greatest = np.zeros(len(wanted)), _most_by_one_row(reduced)
    concerned = np.bincount(reduced.component_of_cell, wanted, reduced.component_count) > 0
    size = np.where(concerned, np.bincount(reduced.component_of_cell, minlength=reduced.component_count), 0)
    pack = (np.cumsum(size) - size) // PACK_CELLS
    numbers = np.unique(pack[concerned])
    for done, number in enumerate(numbers):
        chosen = concerned & (pack == number)
        cells = np.flatnonzero(chosen[reduced.component_of_cell])

        def tell(share: float, before: int = done) -> None:
            if progress is not None:
                progress(Progress("bounds", float((before + share) / len(numbers))))

        search = _Search(_program(reduced, chosen), renumber(chosen)[reduced.component_of_cell[cells]], greatest[cells], wanted[cells])
        least[cells], greatest[cells] = search.run(tell)
    return least, greatest


class _Search:
    """The extremes of a program's cells, several components side by side; every vertex met may decide any cell, at either end."""

    def __init__(self, program: LinearProgram, component: Ints, most: Floats, wanted: Bools) -> None:
        self._program = program
        self._component = component
        self._most = most
        self._least, self._greatest = np.zeros(len(most)), most.copy()
        self._open_above, self._open_below = wanted.copy(), wanted.copy()
        self._quota = np.maximum(1, np.bincount(component) // CELLS_PER_QUESTION)
        self._random = np.random.default_rng(2008)

    def run(self, tell: Callable[[float], None]) -> tuple[Floats, Floats]:
        """[cells] least and greatest value of each wanted cell."""
        total = max(1, int(self._open_above.sum() + self._open_below.sum()))
        while self._open_above.any() or self._open_below.any():
            tell(1.0 - (self._open_above.sum() + self._open_below.sum()) / total)
            self._ask()
        return np.where(self._least <= tolerance.PROGRAM, 0.0, self._least), self._greatest

    def _ask(self) -> None:
        """One program: of each component some cells at once, or, where that stopped paying, one cell by itself, whose answer is then exact."""
        above = np.bincount(self._component, self._open_above, len(self._quota)) > 0
        open_ = np.where(above[self._component], self._open_above, self._open_below)
        asked = self._sample(open_)
        sign = np.where(above[self._component], -1.0, 1.0)
        self._program.set_cost(np.where(asked, sign, 0.0))
        if not self._program.run(from_here=bool(self._quota.max() == 1)):
            raise NotSolved("A linear program for the bounds was not solved.", residual=float("inf"), duality_gap=float("inf"))
        point = self._program.point
        alone = asked & (self._quota == 1)[self._component]
        self._greatest = np.where(alone & above[self._component], point, self._greatest)
        self._least = np.where(alone & ~above[self._component], point, self._least)
        at_most = self._open_above & (point >= self._most - tolerance.CERTIFICATE * np.maximum(1.0, self._most))
        at_zero = self._open_below & (point <= tolerance.CERTIFICATE)
        self._open_above &= ~(at_most | alone & above[self._component])
        self._open_below &= ~(at_zero | alone & ~above[self._component])
        decided = np.bincount(self._component, at_most.astype(float) + at_zero, len(self._quota))
        self._quota = np.where(decided < self._quota, 1, self._quota)

    def _sample(self, open_: Bools) -> Bools:
        """A random choice of the open cells, as many of each component as its quota says."""
        cells = np.flatnonzero(open_)
        order = cells[np.lexsort((self._random.random(len(cells)), self._component[cells]))]
        component = self._component[order]
        rank = np.arange(len(order)) - np.searchsorted(component, component)
        asked = np.zeros(len(open_), dtype=bool)
        asked[order[rank < self._quota[component]]] = True
        return asked


def _most_by_one_row(reduced: Reduced) -> Floats:
    """[cells] the most persons that a cell's own subject, and each row with non-negative coefficients, leave room for."""
    most = reduced.person_count[reduced.subject].copy()
    matrix = reduced.matrix
    row = row_of_entry(matrix)
    positive = np.minimum.reduceat(matrix.data, matrix.indptr[:-1]) > 0 if matrix.nnz else np.zeros(0, dtype=bool)
    useful = positive[row] & np.isfinite(reduced.upper[row])
    np.minimum.at(most, matrix.indices[useful], reduced.upper[row[useful]] / matrix.data[useful])
    return np.maximum(most, 0.0)


def _program(reduced: Reduced, chosen: Bools) -> LinearProgram:
    rows = np.flatnonzero(chosen[reduced.component_of_row])
    subjects = chosen[reduced.component_of_subject]
    cells = subjects[reduced.subject]
    matrix = submatrix(reduced.matrix, rows, renumber(cells), int(cells.sum()))
    full = feasible_set(matrix, reduced.lower[rows], reduced.upper[rows], renumber(subjects)[reduced.subject[cells]], reduced.person_count[subjects])
    # The subjects' own rows bound the cells already; stated once more, HiGHS does not take large counts for unbounded.
    return LinearProgram(*full, lower=np.zeros(int(cells.sum())), upper=reduced.person_count[reduced.subject[cells]])


def _bounds_of_sets(problem: Problem, support: Support, sets: sp.csr_array, progress: Callable[[Progress], None] | None) -> tuple[Floats, Floats]:
    """Sets may tell lumped subjects apart, so nothing is lumped; each set has one program over its components."""
    if sets.shape[1] != problem.cell_count:
        raise ValueError(f"the sets have {sets.shape[1]} columns, but the problem has {problem.cell_count} cells.")
    if not np.isfinite(sets.data).all():
        raise ValueError("a weight of a set is not finite.")
    reduced = reduce(problem, support, np.ones(problem.subject_count, dtype=bool), lump=False)
    decided = support.alive & (support.live_count == 1)[problem.subject]
    fixed = sets @ decided.astype(np.float64)
    lower, upper = fixed.copy(), fixed.copy()
    cell_of = np.full(problem.cell_count, -1)
    cell_of[reduced.source_cell] = reduced.cell_of_source
    concerned: set[int] = set()
    program, own = None, np.zeros(0, dtype=np.int64)
    for number in range(sets.shape[0]):
        if progress is not None:
            progress(Progress("bounds", number / sets.shape[0]))
        entry = slice(sets.indptr[number], sets.indptr[number + 1])
        cells, weight = cell_of[sets.indices[entry]], sets.data[entry]
        cells, weight = cells[cells >= 0], weight[cells >= 0]
        if not len(cells):
            continue
        # Neighbouring sets often concern the same components: then the program goes on from where it stands.
        if program is None or set(reduced.component_of_cell[cells].tolist()) != concerned:
            concerned = set(reduced.component_of_cell[cells].tolist())
            chosen = np.isin(np.arange(reduced.component_count), list(concerned))
            program, own = _program(reduced, chosen), np.flatnonzero(chosen[reduced.component_of_cell])
        cost = np.zeros(len(own))
        np.add.at(cost, np.searchsorted(own, cells), weight / reduced.person_count[reduced.subject[cells]])
        for sign, side in ((1.0, lower), (-1.0, upper)):
            program.set_cost(sign * cost)
            if not program.run():
                raise NotSolved("A linear program for the bounds was not solved.", residual=float("inf"), duality_gap=float("inf"))
            side[number] += sign * program.value
    return np.minimum(lower, upper), upper
