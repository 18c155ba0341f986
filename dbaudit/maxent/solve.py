"""The stages, in order: propagate, reduce, split, closed form, Newton with proofs of what is impossible, certify."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from . import tolerance as limits
from .certify import Certificate, certify
from .closed_form import solve_directly
from .conflict import explain
from .dual import dual_of
from .errors import Infeasible, NotSolved
from .newton import CONTRADICTORY, NARROWED, RUNNING, SOLVED, STUCK, Newton, Outcome, minimise
from .problem import Bools, Floats, Ints, Problem, Progress, Solution
from .proof import prove_by_program
from .propagate import Clash, Support
from .reduce import Reduced, components, reduce

# Each round removes at least one impossible cell from each component still under way; they come in batches, so few rounds suffice.
MAX_ROUNDS = 200
# A component up to this size may be asked for its impossible cells by a linear program if Newton's method is at a loss.
PROGRAM_CELLS = 30_000


def solve(
    problem: Problem,
    tolerance: float = limits.CERTIFICATE,
    *,
    start: Floats | None = None,
    progress: Callable[[Progress], None] | None = None,
    stop: Callable[[], bool] | None = None,
) -> Solution:
    """The distribution of least divergence from the prior (by default: of maximum entropy) that satisfies the constraints.

    tolerance  what residual and duality gap, both relative, must not exceed
    start      multipliers of an earlier, similar problem; rows beyond its length begin at 0
    progress   called now and then with the stage, the share done and the residual
    stop       asked now and then; once it says True the answer so far is returned, with status "stopped" and honest figures

    Raises Infeasible with a smallest set of contradictory statements, or NotSolved if no certificate could be reached.
    """
    run = _Run(problem, start, progress, stop)
    try:
        finished = run.solve()
    except Clash as clash:
        raise _infeasible(problem, clash.rows) from None
    certificate = run.certificate()
    if finished and not (certificate.residual <= tolerance and certificate.duality_gap <= tolerance):
        raise NotSolved(
            f"The answer's certificate is not within the tolerance {tolerance:.0e}.",
            residual=certificate.residual,
            duality_gap=certificate.duality_gap,
        )
    bits = certificate.value / np.log(2.0)
    decided = run.support.alive & (run.support.live_count == 1)[problem.subject]
    return Solution(
        probability=run.probability,
        is_forced=~run.support.alive | decided,
        multiplier=run.multiplier,
        entropy=float(bits if problem.prior is not None else -bits) + 0.0,
        residual=certificate.residual,
        duality_gap=certificate.duality_gap,
        component_count=run.component_count,
        iterations=run.iterations,
        status="solved" if finished else "stopped",
    )


def forced(problem: Problem) -> Bools:
    """The cells that are 0 in every feasible point, proven; every other cell is positive in some.

    (`Solution.is_forced` also flags the cells that are 1 in every feasible point.) Finding them is most of the work of `solve`. Raises Infeasible,
    or NotSolved where it could not be proven which cells are possible.
    """
    return ~find_support(problem).alive


def find_support(problem: Problem) -> Support:
    """Which cells are possible, proven from both sides. Raises Infeasible or NotSolved."""
    run = _Run(problem, None, None, None)
    try:
        run.solve()
    except Clash as clash:
        raise _infeasible(problem, clash.rows) from None
    return run.support


def _infeasible(problem: Problem, rows: Ints) -> Exception:
    conflict = explain(problem, rows)
    if conflict is not None:
        return conflict
    return NotSolved(
        "The constraints contradict each other by about as much as rounding: neither an answer nor a contradiction can be certified.",
        residual=float("inf"),
        duality_gap=float("inf"),
    )


class _Run:
    """One call of `solve`: what is known so far of every cell and row of the problem as it was given."""

    def __init__(self, problem: Problem, start: Floats | None, progress: Callable[[Progress], None] | None, stop: Callable[[], bool] | None) -> None:
        empty = np.flatnonzero(np.diff(problem.first_cell) == 0)
        if len(empty):
            raise Infeasible([f"subject {number} has no cell" for number in empty], subjects=empty.tolist())
        self.problem = problem
        self._progress = progress
        self._stop = stop
        self.multiplier = np.zeros(problem.row_count)
        if start is not None:
            given = np.asarray(start)
            if given.ndim != 1 or given.dtype.kind not in "iuf" or len(given) > problem.row_count or not np.isfinite(given).all():
                raise ValueError(f"start must be finite multipliers of at most {problem.row_count} rows.")
            self.multiplier[: len(given)] = given
        self.probability = np.zeros(problem.cell_count)
        self.iterations = 0
        self.support = Support(problem)
        self.component_count, self._component_of_subject = _components(problem)

    def certificate(self) -> Certificate:
        return certify(self.problem, self.probability, self.multiplier, self.support.alive, self._component_of_subject)

    def solve(self) -> bool:
        """Work until every component is solved; False if the caller stopped it."""
        problem, support = self.problem, self.support
        self._check_rows_without_cells()
        self._tell("propagate", 0.0)
        support.settle()
        start, self.multiplier = self.multiplier, np.zeros(problem.row_count)
        pending = np.ones(problem.subject_count, dtype=bool)
        for _ in range(MAX_ROUNDS):
            reduced = reduce(problem, support, pending)
            outcome = self._solve_reduced(reduced, start)
            self._accept(reduced, outcome)
            if (outcome.status == CONTRADICTORY).any():
                raise Clash(np.unique(np.r_[reduced.lower_source[outcome.conflict], reduced.upper_source[outcome.conflict]]))
            if (outcome.status == RUNNING).any():
                return False
            if (outcome.status == STUCK).any():
                self._ask_program(reduced, outcome)
            narrowed = outcome.status == NARROWED
            if not narrowed.any():
                return True
            rows = np.flatnonzero(narrowed[reduced.component_of_row])
            start = reduced.original_multiplier(np.where(narrowed[reduced.component_of_row], outcome.multiplier, 0.0))
            pending = np.zeros(problem.subject_count, dtype=bool)
            pending[problem.subject[reduced.sources_of(np.flatnonzero(narrowed[reduced.component_of_cell]))]] = True
            self.multiplier[reduced.lower_source[rows]] = 0.0
            self.multiplier[reduced.upper_source[rows]] = 0.0
            support.settle(support.remove(reduced.sources_of(np.flatnonzero(outcome.impossible))))
        raise self._not_solved("Impossible cells kept turning up.", 0)

    def _solve_reduced(self, reduced: Reduced, start: Floats) -> Outcome:
        direct, probability, multiplier, impossible = solve_directly(reduced)
        narrowed = np.bincount(reduced.component_of_cell, impossible, reduced.component_count) > 0
        outcome = Outcome(
            status=np.where(narrowed, NARROWED, np.where(direct, SOLVED, RUNNING)),
            probability=probability,
            multiplier=multiplier,
            impossible=impossible,
            conflict=np.zeros(len(reduced.lower), dtype=bool),
        )
        self._newton(reduced, outcome, start, None)
        if (outcome.status == STUCK).any() and not (outcome.status == RUNNING).any():
            # A second try for the hard ones, afresh, by themselves and with exact linear algebra.
            stuck = outcome.status == STUCK
            outcome.multiplier[stuck[reduced.component_of_row]] = 0.0
            outcome.status[stuck] = RUNNING
            self._newton(reduced, outcome, np.zeros(len(start)), True)
        self.iterations += outcome.iterations
        return outcome

    def _newton(self, reduced: Reduced, outcome: Outcome, start: Floats, factorise: bool | None) -> None:
        """Run Newton's method on the components that have no answer yet."""
        waiting = outcome.status == RUNNING
        if not waiting.any():
            return
        dual = dual_of(reduced, waiting)
        total = len(dual.subject)

        def watch(newton: Newton) -> bool:
            self._tell("solve", 1.0 - len(newton.dual.subject) / total, float(newton.error.max()))
            return self._stop is not None and self._stop()

        minimise(dual, outcome, reduced.starting_multiplier(start)[dual.source_row] * dual.source_sign, watch, factorise)

    def _accept(self, reduced: Reduced, outcome: Outcome) -> None:
        """Write what was found into the arrays of the original problem; decided subjects have one cell left, with probability 1."""
        decided = self.support.alive & (self.support.live_count == 1)[self.problem.subject]
        self.probability[decided] = 1.0
        self.probability[reduced.source_cell] = outcome.probability[reduced.cell_of_source]
        self.probability[~self.support.alive] = 0.0
        self.multiplier += reduced.original_multiplier(outcome.multiplier)

    def _ask_program(self, reduced: Reduced, outcome: Outcome) -> None:
        """Where Newton's method is at a loss, a linear program says exactly which cells are possible.

        If all are, the answer stands or falls with its certificate: it was only too close to 0 somewhere to prove that by itself.
        """
        for component in np.flatnonzero(outcome.status == STUCK):
            size = int(np.count_nonzero(reduced.component_of_cell == component))
            if size > PROGRAM_CELLS:
                raise self._not_solved(f"A component of {size} cells did not converge.", size)
            dual = dual_of(reduced, np.arange(reduced.component_count) == component)
            proof, possible = prove_by_program(dual)
            if possible.all():
                outcome.status[component] = SOLVED
            elif proof.impossible.any():
                outcome.impossible[dual.source_cell[proof.impossible]] = True
                outcome.status[component] = NARROWED
            else:
                rows = dual.source_row
                conflict = explain(self.problem, np.unique(np.r_[reduced.lower_source[rows], reduced.upper_source[rows]]))
                if conflict is not None:
                    raise conflict
                unproven = int(np.count_nonzero(~possible))
                raise self._not_solved(f"In a component of {size} cells it could not be proven which are possible.", unproven)

    def _not_solved(self, reason: str, unproven_cells: int) -> NotSolved:
        certificate = self.certificate()
        return NotSolved(reason, residual=certificate.residual, duality_gap=certificate.duality_gap, unproven_cells=unproven_cells)

    def _check_rows_without_cells(self) -> None:
        problem = self.problem
        empty = np.diff(problem.matrix.indptr) == 0
        wrong = empty & ((problem.lower > limits.ZERO) | (problem.upper < -limits.ZERO)) | (problem.lower > problem.upper + limits.slack(problem.upper))
        if wrong.any():
            raise Infeasible([problem.label(int(np.flatnonzero(wrong)[0]))])

    def _tell(self, stage: str, done: float, residual: float = float("inf")) -> None:
        if self._progress is not None:
            self._progress(Progress(stage, min(max(done, 0.0), 1.0), residual))


def _components(problem: Problem) -> tuple[int, Ints]:
    """Parts of the problem as it was given that share no subject and no constraint."""
    _, _, of_subject = components(problem.matrix, problem.subject, problem.subject_count)
    numbers, of_subject = np.unique(of_subject, return_inverse=True)  # a row without cells is no part of its own
    return len(numbers), of_subject
