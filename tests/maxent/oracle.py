"""What the solver ought to answer, found by other means: linear programs (HiGHS) and an interior-point method (Clarabel).
Close to a boundary neither can be trusted: see exact.py.

Nothing here knows how `dbaudit.maxent` works. It reads the fields of a Problem and the mathematics of MATHS.md, 4 and 5.
In every linear program the unknown is x = persons per cell = person_count * p, and each row is divided by its largest
coefficient, so that one tolerance means the same for all rows.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import cvxpy as cp
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
def row_scale(problem: Problem) -> Floats:
    """[constraints] the largest coefficient of a row in absolute value, 1 for a row without terms."""
    size = np.ones(problem.row_count)
    for row in range(problem.row_count):
        entries = problem.matrix.data[problem.matrix.indptr[row] : problem.matrix.indptr[row + 1]]
        if len(entries):
            size[row] = np.abs(entries).max()
    return size


def subject_sums(problem: Problem) -> sp.csr_array:
    cells = np.arange(problem.cell_count)
    return sp.csr_array((np.ones(problem.cell_count), (problem.subject, cells)), shape=(problem.subject_count, problem.cell_count))


def _halves(problem: Problem, rows: Sequence[int]) -> tuple[sp.csr_array, Floats, sp.csr_array, Floats]:
    """A x <= b for the inequalities and A x = b for the equations (subjects first), rows scaled."""
    chosen = np.array(sorted(rows), dtype=np.int64)
    scale = row_scale(problem)[chosen]
    matrix = sp.csr_array(sp.diags_array(1 / scale) @ problem.matrix[chosen]) if len(chosen) else sp.csr_array((0, problem.cell_count))
    lower, upper = problem.lower[chosen] / scale, problem.upper[chosen] / scale
    same = lower == upper
    above, below = ~same & np.isfinite(upper), ~same & np.isfinite(lower)
    le = sp.csr_array(sp.vstack([matrix[above], -matrix[below]]))
    eq = sp.csr_array(sp.vstack([subject_sums(problem), matrix[same]]))
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
    give = sp.vstack([sp.csr_array((subjects, same)), sp.eye_array(same)]) if same else sp.csr_array((subjects, 0))
    wide_le = sp.hstack([le, -sp.eye_array(less) if less else sp.csr_array((0, 0)), sp.csr_array((less, 2 * same))])
    wide_eq = sp.hstack([eq, sp.csr_array((subjects + same, less)), give, -give])
    cost = np.r_[np.zeros(cells), np.ones(less + 2 * same)]
    answer = _highs(cost, sp.csr_array(wide_le), le_to, sp.csr_array(wide_eq), eq_to, (0, None))
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
    wide_eq = sp.hstack([eq, sp.csr_array((len(eq_to), cells)), sp.csr_array(-eq_to[:, None])])
    support = sp.hstack([-sp.eye_array(cells), sp.eye_array(cells), sp.csr_array((cells, 1))])
    wide_le = sp.vstack([sp.hstack([le, sp.csr_array((len(le_to), cells)), sp.csr_array(-le_to[:, None])]), support])
    cost = np.r_[np.zeros(cells), -np.ones(cells), 0.0]
    limits = [(0, None)] * cells + [(0, 1)] * cells + [(1, 1e6)]
    answer = _highs(cost, sp.csr_array(wide_le), np.zeros(wide_le.shape[0]), sp.csr_array(wide_eq), np.zeros(len(eq_to)), limits)
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


def reference(problem: Problem) -> Reference:
    """Clarabel's answer on the cells that can be positive, through cvxpy."""
    zero = zero_cells(problem)
    keep = np.flatnonzero(~zero)
    persons = problem.person_count[problem.subject]
    if not len(keep):
        return Reference(np.zeros(0), zero, 0.0, 0.0, 0.0, np.zeros(0))
    x = cp.Variable(len(keep))
    scale = row_scale(problem)
    matrix = sp.csr_array(sp.diags_array(1 / scale) @ problem.matrix)[:, keep] if problem.row_count else sp.csr_array((0, len(keep)))
    lower, upper = problem.lower / scale, problem.upper / scale
    limits: list[tuple[Any, npt.NDArray[np.int64], int]] = []
    for rows, sign in (
        (np.flatnonzero(lower == upper), 0),
        (np.flatnonzero((lower != upper) & np.isfinite(upper)), -1),
        (np.flatnonzero((lower != upper) & np.isfinite(lower)), 1),
    ):
        rows = rows[np.diff(matrix.indptr)[rows] > 0]
        if len(rows):
            part = sp.csr_array(matrix[rows]) @ x
            limits.append((part == lower[rows] if sign == 0 else part <= upper[rows] if sign < 0 else part >= lower[rows], rows, sign))
    height = np.log((persons * prior_share(problem))[keep])  # kept out of the cones: priors may differ by twelve orders of magnitude
    program = cp.Problem(
        cp.Minimize(-cp.sum(cp.entr(x)) - height @ x),
        [subject_sums(problem)[:, keep] @ x == problem.person_count, *(limit for limit, _, _ in limits)],
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        program.solve(solver=cp.CLARABEL, tol_gap_abs=1e-11, tol_gap_rel=1e-11, tol_feas=1e-11, max_iter=200)
    if x.value is None:
        raise Undecided(f"Clarabel: {program.status}")
    probability = np.zeros(problem.cell_count)
    probability[keep] = np.maximum(x.value, 0) / persons[keep]
    multiplier = np.zeros(problem.row_count)
    for limit, rows, sign in limits:
        multiplier[rows] += (-1 if sign == 0 else sign) * np.asarray(limit.dual_value).ravel() / scale[rows]
    measured = certificate(problem, probability, multiplier, zero)
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
