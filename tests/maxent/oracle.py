"""What the solver ought to answer, found by other means: linear programs (HiGHS) and an interior-point method (Clarabel).
Close to a boundary neither can be trusted: see exact.py.

Nothing here knows how `dbaudit.maxent` works. It reads the fields of a Problem and the mathematics of MATHS.md, 4 and 5.
In every linear program the unknown is x = persons per cell = person_count * p, and each row is divided by its largest
coefficient, so that one tolerance means the same for all rows.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import clarabel  # type: ignore[import-untyped]
import numpy as np
import numpy.typing as npt
import scipy.sparse as sp
from scipy.optimize import linprog

from dbaudit.maxent.problem import Problem

Floats = npt.NDArray[np.float64]
Bools = npt.NDArray[np.bool_]

SURELY_FEASIBLE = 1e-8  # total violation, in persons: HiGHS works to 1e-10 a row, and targets are rounded to 1e-16
SURELY_INFEASIBLE = 1e-6
HIGHS = {"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10}


class Undecided(Exception):
    """Floating point cannot tell here; a test must not use this example."""


# ------------------------------------------------------------------------------------------------ the feasible set
# Small matrices are dense, because most of the time of a small sparse one goes into making it.
_DENSE = SimpleNamespace(eye=np.eye, zeros=np.zeros, hstack=np.hstack, vstack=np.vstack)
_SPARSE = SimpleNamespace(eye=sp.eye_array, zeros=sp.csr_array, hstack=sp.hstack, vstack=sp.vstack)


def _kind(problem: Problem) -> SimpleNamespace:
    return _DENSE if problem.cell_count < 300 else _SPARSE


def row_scale(problem: Problem) -> Floats:
    """[constraints] the largest coefficient of a row in absolute value, 1 for a row without terms."""
    entries = sp.coo_array(problem.matrix)
    largest = np.zeros(problem.row_count)
    np.maximum.at(largest, entries.coords[0], np.abs(entries.data))
    return np.where(largest > 0, largest, 1.0)


def subject_sums(problem: Problem) -> Any:
    """[subjects x cells] 1 where the cell is the subject's."""
    cells = np.arange(problem.cell_count)
    if _kind(problem) is _SPARSE:
        return sp.csr_array((np.ones(problem.cell_count), (problem.subject, cells)), shape=(problem.subject_count, problem.cell_count))
    sums = np.zeros((problem.subject_count, problem.cell_count))
    sums[problem.subject, cells] = 1.0
    return sums


def _halves(problem: Problem, rows: Sequence[int]) -> tuple[Any, Floats, Any, Floats]:
    """A x <= b for the inequalities and A x = b for the equations (subjects first), rows scaled."""
    kind = _kind(problem)
    chosen = np.array(sorted(rows), dtype=np.int64)
    scale = row_scale(problem)[chosen]
    if kind is _DENSE:
        matrix = problem.matrix.toarray()[chosen] / scale[:, None]
    else:
        matrix = sp.csr_array(sp.diags_array(1 / scale) @ problem.matrix[chosen])
    lower, upper = problem.lower[chosen] / scale, problem.upper[chosen] / scale
    same = lower == upper
    above, below = ~same & np.isfinite(upper), ~same & np.isfinite(lower)
    le = kind.vstack([matrix[above], -matrix[below]])
    eq = kind.vstack([subject_sums(problem), matrix[same]])
    return le, np.r_[upper[above], -lower[below]], eq, np.r_[problem.person_count, lower[same]]


def _highs(cost: Floats, le: Any, le_to: Floats, eq: Any, eq_to: Floats, limits: Any) -> Any:
    """HiGHS at its tightest tolerance; where presolve or the tolerance defeats it, again without."""
    answer = linprog(cost, le if len(le_to) else None, le_to if len(le_to) else None, eq, eq_to, bounds=limits, method="highs", options=HIGHS)
    if answer.status != 0:
        answer = linprog(
            cost, le if len(le_to) else None, le_to if len(le_to) else None, eq, eq_to, bounds=limits, method="highs", options={**HIGHS, "presolve": False}
        )
    return answer


def violation(problem: Problem, rows: Iterable[int] | None = None) -> float:
    """The least total violation of these rows (default: all), in persons; infinite where a subject has no cell."""
    chosen = list(range(problem.row_count)) if rows is None else list(rows)
    if np.any(np.bincount(problem.subject, minlength=problem.subject_count)[: problem.subject_count] == 0):
        return float("inf")
    if problem.cell_count == 0 or not chosen:
        return float(sum(max(0.0, problem.lower[r], -problem.upper[r]) for r in chosen))
    le, le_to, eq, eq_to = _halves(problem, chosen)
    cells, subjects, less, same = problem.cell_count, problem.subject_count, len(le_to), len(eq_to) - problem.subject_count
    kind = _kind(problem)
    give = kind.vstack([kind.zeros((subjects, same)), kind.eye(same)])
    wide_le = kind.hstack([le, -kind.eye(less), kind.zeros((less, 2 * same))])
    wide_eq = kind.hstack([eq, kind.zeros((subjects + same, less)), give, -give])
    cost = np.r_[np.zeros(cells), np.ones(less + 2 * same)]
    answer = _highs(cost, wide_le, le_to, wide_eq, eq_to, (0, None))
    if answer.status != 0:
        raise Undecided(f"HiGHS ended with {answer.message!r} on an elastic program, which always has a solution")
    # a row whose own bounds cross is counted here, as scaled equal rows would be
    return float(answer.fun)


def is_feasible(problem: Problem, rows: Iterable[int] | None = None) -> bool:
    """Whether some distribution satisfies these rows; Undecided where it hangs on less than a millionth of a person."""
    least = violation(problem, rows)
    if SURELY_FEASIBLE < least < SURELY_INFEASIBLE:
        raise Undecided(f"the rows miss each other by only {least:.1e}")
    return least <= SURELY_FEASIBLE


def conflict_flaw(problem: Problem, labels: Sequence[str]) -> str | None:
    """Why these labels are not a smallest contradictory set of statements; None where they are one."""
    if not labels:
        return "no statement is named"
    if len(set(labels)) != len(labels):
        return f"a statement is named twice in {labels}"
    rows_of: dict[str, list[int]] = {}
    for row in range(problem.row_count):
        rows_of.setdefault(problem.label(row), []).append(row)
    unknown = [label for label in labels if label not in rows_of]
    if unknown:
        return f"{unknown} are not statements of the problem"
    if is_feasible(problem, [r for label in labels for r in rows_of[label]]):
        return f"{labels} can hold together"
    for left_out in labels:
        if not is_feasible(problem, [r for label in labels if label != left_out for r in rows_of[label]]):
            return f"{labels} stays contradictory without {left_out!r}"
    return None


# ------------------------------------------------------------------------------------------------ what is possible
def extremes(problem: Problem, what: Any) -> tuple[Floats, Floats]:
    """Smallest and largest value of each row of `what` (coefficients per probability, not per person): two linear programs each."""
    weight = sp.csr_array(what).toarray() / problem.person_count[problem.subject]
    le, le_to, eq, eq_to = _halves(problem, range(problem.row_count))
    low, high = np.zeros(len(weight)), np.zeros(len(weight))
    for k, cost in enumerate(weight):
        for sign, into in ((1.0, low), (-1.0, high)):
            answer = _highs(sign * cost, le, le_to, eq, eq_to, (0, None))
            if answer.status != 0:
                raise Undecided(f"HiGHS: {answer.message}")
            into[k] = sign * answer.fun
    return low, high


def cell_extremes(problem: Problem, cells: Iterable[int]) -> tuple[Floats, Floats]:
    chosen = list(cells)
    what = sp.csr_array((np.ones(len(chosen)), (np.arange(len(chosen)), chosen)), shape=(len(chosen), problem.cell_count))
    return extremes(problem, what)


def zero_cells(problem: Problem) -> Bools:
    """The cells that are 0 in every feasible point: one homogenised linear program (MATHS.md 5.3).

    theta stays below a million, so a cell that can hold less than a millionth of a person counts as 0: problems closer to
    a boundary than that belong to exact.py.
    """
    cells = problem.cell_count
    if not cells:
        return np.zeros(0, dtype=bool)
    le, le_to, eq, eq_to = _halves(problem, range(problem.row_count))
    kind = _kind(problem)
    wide_eq = kind.hstack([eq, kind.zeros((len(eq_to), cells)), -eq_to[:, None]])
    support = kind.hstack([-kind.eye(cells), kind.eye(cells), kind.zeros((cells, 1))])
    wide_le = kind.vstack([kind.hstack([le, kind.zeros((len(le_to), cells)), -le_to[:, None]]), support])
    cost = np.r_[np.zeros(cells), -np.ones(cells), 0.0]
    limits = np.array([(0, np.inf)] * cells + [(0, 1)] * cells + [(1, 1e6)])
    answer = _highs(cost, wide_le, np.zeros(wide_le.shape[0]), wide_eq, np.zeros(len(eq_to)), limits)
    if answer.status != 0:
        raise Undecided(f"HiGHS: {answer.message}")
    level = answer.x[cells : 2 * cells]
    if np.any((level > 1e-3) & (level < 1 - 1e-3)):
        raise Undecided("a cell's largest value lies at the edge of what the homogenised program can see")
    zero = np.asarray(level < 0.5)
    if answer.x[-1] > 1e5 and zero.any() and extremes(problem, zero[None, :].astype(float))[1][0] > 1e-8:
        raise Undecided("theta is at its limit, and a cell that it left empty can hold something")
    return zero


def decided_cells(problem: Problem, zero: Bools) -> Bools:
    """The cells that are 0, or 1, in every feasible point: a subject with one possible cell left has that one."""
    alive = np.bincount(problem.subject, ~zero, problem.subject_count)
    return np.asarray(zero | (alive[problem.subject] == 1))


# ------------------------------------------------------------------------------------------------ the answer
def prior_share(problem: Problem) -> Floats:
    """[cells] the prior, normalised in each subject; 1 everywhere where there is none, so that divergence is minus entropy."""
    if problem.prior is None:
        return np.ones(problem.cell_count)
    return np.asarray(problem.prior / np.bincount(problem.subject, problem.prior, problem.subject_count)[problem.subject])


def divergence(problem: Problem, probability: Floats) -> float:
    """Nats, summed over persons: minus the entropy where there is no prior."""
    x = problem.person_count[problem.subject] * probability
    alive = probability > 0
    return float(np.sum(x[alive] * (np.log(probability[alive]) - np.log(prior_share(problem)[alive]))))


def reported_entropy(problem: Problem, probability: Floats) -> float:
    """Bits, as Solution.entropy tells it: entropy, or divergence where there is a prior."""
    nats = divergence(problem, probability)
    return (nats if problem.prior is not None else -nats) / float(np.log(2))


@dataclass(frozen=True)
class Reference:
    probability: Floats
    zero: Bools
    entropy: float  # bits; with a prior the divergence
    residual: float
    gap: float  # of Clarabel's own primal and dual point, so that a poor reference is not mistaken for the truth
    error: Floats  # [cells] how far that gap lets a probability be from the truth: n KL <= gap, and |p - q| <= sqrt(2 KL) (Pinsker)


def least_divergence(height: Floats, le: Floats, le_to: Floats, eq: Floats, eq_to: Floats, tolerance: float) -> tuple[Floats, Floats, Floats]:
    """The x > 0 of least sum x log x - height' x with le x <= le_to and eq x = eq_to, by Clarabel; and the duals of both kinds of rows.

    Each t <= -x log x is an exponential cone, x exp(t / x) <= 1. Clarabel is asked directly: what cvxpy does first takes ten times as long.
    """
    cells = len(height)
    rows = sp.csr_array(np.vstack([eq, le]))
    cones = sp.csr_array((-np.ones(2 * cells), (np.r_[0 : 3 * cells : 3, 1 : 3 * cells : 3], np.r_[cells : 2 * cells, 0:cells])), shape=(3 * cells, 2 * cells))
    matrix = sp.csc_matrix(sp.vstack([sp.hstack([rows, sp.csr_array((rows.shape[0], cells))]), cones]))
    right = np.r_[eq_to, le_to, np.tile([0.0, 0.0, 1.0], cells)]
    kinds = [clarabel.ZeroConeT(len(eq_to)), clarabel.NonnegativeConeT(len(le_to)), *[clarabel.ExponentialConeT()] * cells]
    options = clarabel.DefaultSettings()
    options.verbose, options.max_iter = False, 200
    options.tol_gap_abs = options.tol_gap_rel = options.tol_feas = tolerance
    answer = clarabel.DefaultSolver(sp.csc_matrix((2 * cells, 2 * cells)), np.r_[-height, -np.ones(cells)], matrix, right, kinds, options).solve()
    if answer.status not in (clarabel.SolverStatus.Solved, clarabel.SolverStatus.AlmostSolved):
        raise Undecided(f"Clarabel: {answer.status}")
    dual = np.array(answer.z)
    return np.array(answer.x[:cells]), dual[len(eq_to) : len(eq_to) + len(le_to)], dual[: len(eq_to)]


def reference(problem: Problem) -> Reference:
    """Clarabel's answer on the cells that can be positive."""
    zero = zero_cells(problem)
    keep = np.flatnonzero(~zero)
    persons = problem.person_count[problem.subject]
    if not len(keep):
        return Reference(np.zeros(0), zero, 0.0, 0.0, 0.0, np.zeros(0))
    scale = row_scale(problem)
    matrix = problem.matrix.toarray()[:, keep] / scale[:, None]
    lower, upper = problem.lower / scale, problem.upper / scale
    told = np.abs(matrix).sum(axis=1) > 0
    same, above, below = (
        np.flatnonzero(told & which) for which in (lower == upper, (lower != upper) & np.isfinite(upper), (lower != upper) & np.isfinite(lower))
    )
    height = np.log((persons * prior_share(problem))[keep])  # kept out of the cones: priors may differ by twelve orders of magnitude
    x, price_le, price_eq = least_divergence(
        height,
        np.vstack([matrix[above], -matrix[below]]),
        np.r_[upper[above], -lower[below]],
        np.vstack([subject_sums(problem)[:, keep], matrix[same]]),
        np.r_[problem.person_count, lower[same]],
        1e-11,
    )
    probability = np.zeros(problem.cell_count)
    probability[keep] = np.maximum(x, 0) / persons[keep]
    multiplier = np.zeros(problem.row_count)
    multiplier[same] = -price_eq[problem.subject_count :]
    multiplier[above] -= price_le[: len(above)]
    multiplier[below] += price_le[len(above) :]
    measured = certificate(problem, probability, multiplier / scale, zero)
    nats = measured.gap * max(1.0, abs(divergence(problem, probability)))
    return Reference(probability, zero, reported_entropy(problem, probability), measured.residual, measured.gap, np.sqrt(2 * nats / persons))


@dataclass(frozen=True)
class Certificate:
    residual: float  # largest violation of a row relative to 1 + its largest bound, or of a subject's sum
    gap: float  # |primal - dual| / max(1, |primal|)
    stationarity: float  # largest difference between p and prior * exp(A' multiplier), normalised


def certificate(problem: Problem, probability: Floats, multiplier: Floats, zero: Bools) -> Certificate:
    """Recomputed from the answer alone, as the acceptance runner does it. A multiplier of the wrong sign proves nothing: gap infinite."""
    share, count = prior_share(problem), problem.person_count
    activity = problem.matrix @ (count[problem.subject] * probability)
    lower, upper = problem.lower, problem.upper
    size = 1 + np.maximum(np.where(np.isfinite(lower), np.abs(lower), 0), np.where(np.isfinite(upper), np.abs(upper), 0))
    residual = float(np.max(np.maximum(np.maximum(lower - activity, activity - upper), 0) / size, initial=0.0))
    total = np.bincount(problem.subject, probability, problem.subject_count)
    residual = max(residual, float(np.max(np.abs(total - 1), initial=0.0)))
    if not problem.cell_count:
        return Certificate(residual, 0.0, 0.0)
    if np.any((multiplier > 0) & ~np.isfinite(lower)) or np.any((multiplier < 0) & ~np.isfinite(upper)):
        return Certificate(residual, float("inf"), float("inf"))
    exponent = np.where(zero, -np.inf, np.log(share) + problem.matrix.T @ multiplier)
    top = np.full(problem.subject_count, -np.inf)
    np.maximum.at(top, problem.subject, exponent)
    log_sum = top + np.log(np.bincount(problem.subject, np.exp(exponent - top[problem.subject]), problem.subject_count))
    bound = np.where(multiplier > 0, lower, np.where(multiplier < 0, upper, 0.0))
    dual = float(multiplier @ bound - count @ log_sum)
    primal = divergence(problem, probability)
    back = np.exp(exponent - log_sum[problem.subject])
    return Certificate(residual, abs(primal - dual) / max(1.0, abs(primal)), float(np.abs(back - probability).max()))
