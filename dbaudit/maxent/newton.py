"""Stage 6: Newton's method on the dual, for all components of a union at once.

Equations are free multipliers; "at least" rows have multipliers >= 0, kept positive by a logarithmic barrier whose weight
falls to nothing (the primal-dual form: each such row carries its slack as a second unknown). Every component has its own
step length and barrier weight, and leaves the union when it is done, proven to have no solution, or found to have impossible cells.

A component is done when its residual is at rounding level AND Newton's last step changed no probability by more than a small share. The
second half is a proof that no remaining cell is impossible: x (1 + step) satisfies the equations and is positive on every cell. A cell that
is impossible would have to go to 0, a step of -1, however small its probability has become already.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from . import tolerance
from .dual import Dual, Point
from .linear import FEW_ROWS, MANY_STEPS, System, factorisation_is_affordable
from .problem import Bools, Floats, Ints
from .proof import prove

# Quadratic convergence takes 5 to 10 steps, a statement 1e-9 from its extreme some 20 more (a factor e a step), bounds some 20.
MAX_STEPS = 120
# The largest power of e by which one step may change a probability that counts.
LONGEST_STEP = 6.0
# A cell is suspected of being impossible when it is this improbable and Newton still wants to lower it by this share ..
SUSPECT_PROBABILITY = 0.05
SUSPECT_STEP = -0.3
# .. for this many steps in a row.
SUSPECT_STREAK = 3
# The share of the suspects that must be proven impossible before a component starts again without them.
WORTHWHILE = 0.3
# The least probability that a start may give to a cell.
LEAST_START = 1e-7
# Steps without any progress after which a component is given up.
PATIENCE = 15

RUNNING, SOLVED, NARROWED, CONTRADICTORY, STUCK = range(5)


@dataclass(eq=False)
class Outcome:
    """How each component of a Reduced ended, with its answer or what was learnt."""

    status: Ints  # [components]
    probability: Floats  # [cells]
    multiplier: Floats  # [rows]
    impossible: Bools  # [cells]
    conflict: Bools  # [rows]
    iterations: int = 0


class Newton:
    """The iteration's state for the components still under way."""

    def __init__(self, dual: Dual, outcome: Outcome, start: Floats, factorise: bool | None) -> None:
        self.dual = dual
        self.outcome = outcome
        components = dual.component_count
        self.point = dual.at(_sane(dual, np.where(dual.is_bound, np.maximum(start, 0.1), start)))
        bounds = dual.sum_rows(dual.is_bound.astype(np.float64))
        self.bound_count = bounds
        slack = np.maximum(self.point.residual, 0.1 * (1.0 + np.abs(dual.target)))
        self.slack = np.where(dual.is_bound, slack, 0.0)
        self.barrier = 0.1 * dual.dot_rows(np.where(dual.is_bound, self.point.multiplier, 0.0), self.slack) / np.maximum(bounds, 1.0)
        self.factorise = factorise
        self.last_step = np.full(components, np.inf)
        self.suspect_count = np.zeros(components)
        self.since_attempt = np.full(components, SUSPECT_STREAK)
        self.best = np.full(components, np.inf)
        self.since_best = np.zeros(components, dtype=np.int64)
        self.noise = tolerance.NOISE * np.maximum(1.0, np.abs(dual.target))
        self.cell_streak = np.zeros(len(dual.subject), dtype=np.int64)
        self.error = self._error()

    def _gradient(self, point: Point) -> Floats:
        dual = self.dual
        if not dual.is_bound.any():
            return point.residual
        pull = np.where(dual.is_bound, dual.to_rows(self.barrier) / np.where(dual.is_bound, point.multiplier, 1.0), 0.0)
        return np.asarray(point.residual - pull)

    def _error(self) -> Floats:
        """[components] the largest violation, relative, and for bounds how far slack times multiplier is from the barrier's weight."""
        dual, residual = self.dual, self.point.residual
        size = np.maximum(1.0, np.abs(dual.target))
        if not dual.is_bound.any():
            return dual.max_rows(np.abs(residual) / size)
        product = self.point.multiplier * residual
        off_centre = np.maximum(np.abs(product - dual.to_rows(self.barrier)) - 100 * tolerance.NOISE * self.point.multiplier * size, 0.0)
        return dual.max_rows(np.where(dual.is_bound, np.maximum(-residual / size, off_centre), np.abs(residual) / size))

    def _merit(self, point: Point) -> Floats:
        dual = self.dual
        if not dual.is_bound.any():
            return point.value
        return np.asarray(point.value - self.barrier * dual.sum_rows(np.where(dual.is_bound, np.log(np.where(dual.is_bound, point.multiplier, 1.0)), 0.0)))

    def advance(self) -> None:
        """One Newton step of every component."""
        dual, point = self.dual, self.point
        gradient = self._gradient(point)
        positive = np.where(dual.is_bound, point.multiplier, 1.0)
        extra = np.where(dual.is_bound, self.slack / positive, 0.0)
        accuracy = np.clip(np.sqrt(self.error), 1e-7, 0.1)
        system = System(dual, point.persons, extra, bool(self.factorise))
        step, linear_steps = system.solve(-gradient, accuracy, self.noise)
        if self.factorise is None and linear_steps > (MANY_STEPS if len(dual.target) > FEW_ROWS else MANY_STEPS // 3):
            self.factorise = factorisation_is_affordable(dual)
        change = dual.centred(step, dual.averaging(point.persons))
        self.last_step = dual.max_cells(np.abs(change))
        # Far from the answer the quadratic model is worth little: no probability that counts changes by more than e to this power in a step.
        counts = np.where((change > 0) | (point.probability > 1e-3), np.abs(change), 0.0)
        reach = np.minimum(1.0, LONGEST_STEP / np.maximum(dual.max_cells(counts), LONGEST_STEP))
        length = self._line_search(step, reach, gradient, positive, extra, system)
        self._watch(step, change, length)
        self._lower_barrier()

    def _line_search(self, step: Floats, reach: Floats, gradient: Floats, positive: Floats, extra: Floats, system: System) -> Floats:
        dual, old = self.dual, self.point
        length = reach
        if dual.is_bound.any():
            length = np.minimum(length, self._to_boundary(positive, step))
            slack_step = np.where(dual.is_bound, dual.to_rows(self.barrier) / positive - self.slack - extra * step, 0.0)
            slack_length = np.minimum(1.0, self._to_boundary(np.where(dual.is_bound, self.slack, 1.0), slack_step))
        merit, slope = self._merit(old), dual.dot_rows(gradient, step)
        rounding = 1e-13 * np.abs(merit) + 1e-14
        energy = system.size(gradient)
        for _ in range(40):
            self.point = dual.at(old.multiplier + dual.to_rows(length) * step)
            # Near the end the merit is flat to rounding: there a smaller gradient decides.
            ahead = self._gradient(self.point)
            enough = (self._merit(self.point) <= merit + 1e-4 * length * slope) | (system.size(ahead) <= 0.8 * energy)
            enough |= np.abs(slope) <= rounding
            if enough.all():
                break
            length = np.where(enough, length, 0.5 * length)
        if dual.is_bound.any():
            slack = self.slack + dual.to_rows(slack_length) * slack_step
            centre = dual.to_rows(self.barrier) / np.where(dual.is_bound, self.point.multiplier, 1.0)
            self.slack = np.where(dual.is_bound, np.clip(slack, 1e-10 * centre, 1e10 * centre), 0.0)
        self.error = self._error()
        return length

    def _to_boundary(self, value: Floats, step: Floats) -> Floats:
        """[components] how far a step may go and keep `value` of bound rows positive."""
        falling = self.dual.is_bound & (step < 0)
        room = np.where(falling, -0.995 * value / np.where(falling, step, -1.0), np.inf)
        return np.minimum.reduceat(room, self.dual.row_begin)

    def _lower_barrier(self) -> None:
        follow = (self.error <= np.maximum(10 * self.barrier, tolerance.CENTRED)) & (self.barrier > tolerance.LEAST_BARRIER)
        if follow.any():
            self.barrier = np.where(follow, np.maximum(tolerance.LEAST_BARRIER, np.minimum(0.1 * self.barrier, self.barrier**1.5)), self.barrier)
            self.best[follow] = np.inf
            self.error = self._error()

    def _watch(self, step: Floats, change: Floats, length: Floats) -> None:
        """Note progress, and look for impossible cells where steps keep pushing the same way."""
        dual = self.dual
        better = self.error < 0.7 * self.best
        self.best = np.where(better, self.error, self.best)
        self.since_best = np.where(better, 0, self.since_best + 1)
        pushed = (self.point.probability < SUSPECT_PROBABILITY) & (change < SUSPECT_STEP)
        self.cell_streak = np.where(pushed, self.cell_streak + 1, 0)
        longest = dual.max_cells(self.cell_streak.astype(np.float64))
        count = np.add.reduceat(pushed.astype(np.float64), dual.first_cell[dual.subject_begin])
        # While ordinary improbable cells are still settling their number changes; an attempt before that would mostly be in vain.
        steady = (count >= 0.8 * self.suspect_count) & ((count <= 1.1 * self.suspect_count) | (self.bound_count == 0))
        due = (longest >= SUSPECT_STREAK) & steady & (self.since_attempt >= SUSPECT_STREAK)
        self.suspect_count = count
        self.since_attempt = np.where(due, 1, self.since_attempt + 1)
        if due.any():
            falling = (self.point.probability < SUSPECT_PROBABILITY) & (change < 0.1 * SUSPECT_STEP)
            self._prove(due, step, falling | (self.cell_streak >= SUSPECT_STREAK))

    def _prove(self, due: Bools, step: Floats, suspects: Bools) -> None:
        dual = self.dual
        part = dual if due.all() else dual.select(due)
        rows, cells = due[dual.component_of_row], due[dual.component_of_cell]
        proof = prove(part, step[rows], suspects[cells], bool(self.factorise))
        outcome = self.outcome
        outcome.impossible[part.source_cell[proof.impossible]] = True
        outcome.conflict[part.source_row[proof.rows]] = True
        found = np.bincount(part.component_of_cell[proof.impossible], minlength=part.component_count)
        # Starting again without the impossible cells is only worth it once it rids us of a good share of what diverges.
        narrowed = found >= np.maximum(1, WORTHWHILE * np.bincount(part.component_of_cell[suspects[cells]], minlength=part.component_count))
        outcome.status[part.source_component[narrowed]] = NARROWED
        outcome.status[part.source_component[proof.contradictory]] = CONTRADICTORY

    def leave(self) -> None:
        """Take the finished components out of the union, with their answers."""
        dual = self.dual
        status = self.outcome.status[dual.source_component]
        settled = (self.error <= tolerance.CONVERGED) | ((self.error <= 1e-2 * tolerance.CERTIFICATE) & (self.since_best >= 2))
        settled &= self.barrier <= tolerance.LEAST_BARRIER
        done = (status == RUNNING) & settled & (self.last_step <= tolerance.LAST_STEP) & self._stands_clear()
        given_up = (status == RUNNING) & ~done & (self.since_best >= PATIENCE)
        status = np.where(done, SOLVED, np.where(given_up, self.gave_up(), status))
        self.outcome.status[dual.source_component] = status
        leaving = status != RUNNING
        if leaving.any():
            self._hand_over(leaving)
            self._keep(~leaving)

    def gave_up(self) -> Ints:
        """[components] what to call a component without progress: less is left of it if any impossible cell was found."""
        cells = self.outcome.impossible[self.dual.source_cell].astype(np.float64)
        return np.where(self.dual.max_cells(cells) > 0, NARROWED, STUCK)

    def abandon(self, status: Ints) -> None:
        """Leave the rest where it is: its figures are what they are."""
        self.outcome.status[self.dual.source_component] = status
        self._hand_over(np.ones(self.dual.component_count, dtype=bool))

    def _hand_over(self, leaving: Bools) -> None:
        dual, point = self.dual, self.point
        rows, cells = leaving[dual.component_of_row], leaving[dual.component_of_cell]
        self.outcome.probability[dual.source_cell[cells]] = point.probability[cells]
        # The two halves of a two-sided row meet again.
        self.outcome.multiplier += np.bincount(dual.source_row[rows], dual.source_sign[rows] * point.multiplier[rows], len(self.outcome.multiplier))

    def _stands_clear(self) -> Bools:
        dual = self.dual
        residual = self.point.residual
        spread = largest_over_rows(dual, np.where(dual.is_bound, np.maximum(-residual, 0.0), np.abs(residual)))
        unclear = self.point.persons < tolerance.ABOVE_RESIDUAL * spread
        return np.asarray(dual.max_cells(unclear.astype(np.float64)) == 0)

    def _keep(self, staying: Bools) -> None:
        dual = self.dual
        if not staying.any():
            self.dual = dual.select(staying)
            return
        rows, cells = staying[dual.component_of_row], staying[dual.component_of_cell]
        point = self.point
        self.dual = dual.select(staying)
        self.point = Point(point.multiplier[rows], point.probability[cells], point.persons[cells], point.value[staying], point.residual[rows])
        self.slack, self.noise, self.cell_streak = self.slack[rows], self.noise[rows], self.cell_streak[cells]
        for name in ("bound_count", "barrier", "last_step", "suspect_count", "since_attempt", "best", "since_best", "error"):
            setattr(self, name, getattr(self, name)[staying])


def _sane(dual: Dual, start: Floats) -> Floats:
    """A start that already makes a cell next to impossible would hide it from Newton's method: such components begin afresh."""
    with np.errstate(over="ignore", invalid="ignore"):
        lowest = -dual.max_cells(-dual.at(start).probability)
    return np.where(dual.to_rows(lowest) >= LEAST_START, start, np.where(dual.is_bound, 0.1, 0.0))


def largest_over_rows(dual: Dual, residual: Floats) -> Floats:
    """[cells] the largest residual of a row that the cell is in."""
    out = np.zeros(len(dual.subject))
    filled = np.flatnonzero(np.diff(dual.by_cell.indptr))
    if len(filled):
        out[filled] = np.maximum.reduceat(residual[dual.by_cell.indices], dual.by_cell.indptr[filled])
    return out


def minimise(dual: Dual, outcome: Outcome, start: Floats, watch: Callable[[Newton], bool], factorise: bool | None = None) -> None:
    """Run every component of the union to an end, and write it into the outcome.

    watch      asked after each step whether to stop
    factorise  whether linear systems are factorised; None leaves it to how conjugate gradients fare
    """
    newton = Newton(dual, outcome, start, factorise)
    for iteration in range(MAX_STEPS):
        newton.advance()
        outcome.iterations = max(outcome.iterations, iteration + 1)
        newton.leave()
        if not newton.dual.component_count:
            return
        if watch(newton):
            newton.abandon(np.full(newton.dual.component_count, RUNNING))
            return
    newton.abandon(newton.gave_up())
