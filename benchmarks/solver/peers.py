"""The same program solved by others: a general cone solver on the raw and on the presolved problem, and the papers' own way.

Each returns an `Attempt`; nobody but `measure` should time or judge them.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from importlib import import_module
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp
from scipy.optimize import minimize

from dbaudit.maxent.problem import Problem

Floats = npt.NDArray[np.float64]
Bools = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Attempt:
    """What a method came to: probabilities (nan where it returned none), its own word for it, and CPU seconds before its real work."""

    probability: Floats
    status: str
    iterations: int = 0
    compile_cpu: float = 0.0  # of the whole; the modelling layer's translation, not the solver's work
    solver_wall: float = 0.0  # as the solver itself reports it; 0 where it does not
    duality_gap: float = float("nan")  # only where the method proves one


def residual(problem: Problem, probability: Floats) -> float:
    """Largest violation of any constraint, the sums to 1 and the signs included, relative to max(1, target)."""
    if not np.all(np.isfinite(probability)):
        return float("nan")
    activity = problem.matrix @ (problem.person_count[problem.subject] * probability)
    lower, upper = np.isfinite(problem.lower), np.isfinite(problem.upper)
    below = (problem.lower - activity)[lower] / np.maximum(1.0, np.abs(problem.lower[lower]))
    above = (activity - problem.upper)[upper] / np.maximum(1.0, np.abs(problem.upper[upper]))
    total = np.bincount(problem.subject, probability, problem.subject_count)
    return float(max(below.max(initial=0.0), above.max(initial=0.0), np.abs(total - 1).max(initial=0.0), -probability.min(initial=0.0)))


def entropy(problem: Problem, probability: Floats) -> float:
    """Bits, summed over persons; where there is a prior, the divergence from it with its sign turned."""
    positive = probability > 0
    share = np.where(positive, probability, 1.0)
    nats = np.where(positive, share * (problem.log_prior - np.log(share)), 0.0)
    return float(problem.person_count[problem.subject] @ nats / np.log(2))


# --- A general cone solver ---------------------------------------------------------------------------------------------


def clarabel(problem: Problem, time_limit: float = float("inf")) -> Attempt:
    """cvxpy with Clarabel at its default tolerances (1e-8), on one thread."""
    cp: Any = import_module("cvxpy")  # only here: slow to import, and the other methods' memory should not carry it
    begin = time.process_time()
    weight = problem.person_count[problem.subject]
    scaled = sp.csr_array(problem.matrix @ sp.diags_array(weight))
    one = sp.csr_array((np.ones(problem.cell_count), (problem.subject, np.arange(problem.cell_count))), shape=(problem.subject_count, problem.cell_count))
    p = cp.Variable(problem.cell_count)
    is_equation = problem.lower == problem.upper
    at_least = ~is_equation & np.isfinite(problem.lower)
    at_most = ~is_equation & np.isfinite(problem.upper)
    constraints = [one @ p == 1.0]
    if is_equation.any():
        constraints.append(scaled[is_equation] @ p == problem.lower[is_equation])
    if at_least.any():
        constraints.append(scaled[at_least] @ p >= problem.lower[at_least])
    if at_most.any():
        constraints.append(scaled[at_most] @ p <= problem.upper[at_most])
    less = cp.rel_entr(p, np.exp(problem.log_prior)) if problem.prior is not None else -cp.entr(p)
    model = cp.Problem(cp.Minimize(weight @ less), constraints)
    options: dict[str, Any] = {"max_threads": 1, **({"time_limit": time_limit} if np.isfinite(time_limit) else {})}
    data, chain, _ = model.get_problem_data(cp.CLARABEL, solver_opts=options)
    compile_cpu = time.process_time() - begin
    raw = chain.solve_via_data(model, data, warm_start=False, verbose=False, solver_opts=options)
    # Our variable is read out of the raw vector: cvxpy's own unpacking refuses the answers of runs that were stopped.
    start = data["param_prob"].var_id_to_col[p.id]
    probability = np.array(raw.x[start : start + problem.cell_count], dtype=np.float64)
    return Attempt(probability, str(raw.status), int(raw.iterations), compile_cpu, float(raw.solve_time))


def clarabel_presolved(problem: Problem, probability: Floats, is_forced: Bools, time_limit: float = float("inf")) -> Attempt:
    """The same on what is left once every cell that is proven 0 or 1 has been taken out."""
    begin = time.process_time()
    rest, cell = without_forced(problem, probability, is_forced)
    reduce_cpu = time.process_time() - begin
    if not len(cell):
        return Attempt(np.where(is_forced, np.round(probability), probability), "nothing left", 0, reduce_cpu, 0.0)
    inner = clarabel(rest, time_limit)
    whole = np.round(probability)
    whole[cell] = inner.probability
    return Attempt(whole, inner.status, inner.iterations, inner.compile_cpu + reduce_cpu, inner.solver_wall)


def without_forced(problem: Problem, probability: Floats, is_forced: Bools) -> tuple[Problem, npt.NDArray[np.int64]]:
    """The problem over the open cells, and which cells these are. A decided subject leaves; what it holds is taken off the targets."""
    open_cell = ~is_forced
    decided = np.where(is_forced, np.round(probability), 0.0) * problem.person_count[problem.subject]
    constant = problem.matrix @ decided
    cell = np.flatnonzero(open_cell)
    kept_subject = np.unique(problem.subject[cell])
    matrix = sp.csr_array(problem.matrix[:, cell])
    row = np.flatnonzero(np.diff(matrix.indptr))
    rest = Problem(
        subject=np.searchsorted(kept_subject, problem.subject[cell]),
        person_count=problem.person_count[kept_subject],
        matrix=matrix[row],
        lower=(problem.lower - constant)[row],
        upper=(problem.upper - constant)[row],
        prior=None if problem.prior is None else problem.prior[cell],
    )
    return rest, cell


# --- The papers' own way -----------------------------------------------------------------------------------------------


class _OutOfTime(Exception):
    """Raised out of the minimiser; what was reached is kept."""


def full_dual(problem: Problem, time_limit: float = float("inf"), max_iterations: int = 100_000, gradient: float = 1e-10) -> Attempt:
    """L-BFGS-B on the whole dual: a multiplier for each constraint but One, a sign where it is an inequality; no presolve, no parts.

    It stops once no constraint is off by more than `gradient` persons, or when it cannot go on.
    """
    is_equation = problem.lower == problem.upper
    at_least = ~is_equation & np.isfinite(problem.lower)
    at_most = ~is_equation & np.isfinite(problem.upper)
    matrix = sp.csr_array(sp.vstack([problem.matrix[is_equation], problem.matrix[at_least], problem.matrix[at_most]]))
    target = np.concatenate([problem.lower[is_equation], problem.lower[at_least], problem.upper[at_most]])
    transposed = sp.csr_array(matrix.T)
    free, below, above = int(is_equation.sum()), int(at_least.sum()), int(at_most.sum())
    bounds = [(None, None)] * free + [(0.0, None)] * below + [(None, 0.0)] * above
    weight, first = problem.person_count, problem.first_cell[:-1]

    def distribution(multiplier: Floats) -> tuple[Floats, float]:
        exponent = transposed @ multiplier + problem.log_prior
        top = np.maximum.reduceat(exponent, first)
        share = np.exp(exponent - top[problem.subject])
        total = np.add.reduceat(share, first)
        return share / total[problem.subject], float(weight @ (top + np.log(total)))

    def dual(multiplier: Floats) -> tuple[float, Floats]:
        probability, log_partition = distribution(multiplier)
        return log_partition - float(multiplier @ target), matrix @ (weight[problem.subject] * probability) - target

    best = np.zeros(len(target))
    steps, stop_at = 0, time.monotonic() + time_limit

    def watch(multiplier: Floats) -> None:
        nonlocal best, steps
        best, steps = multiplier.copy(), steps + 1
        if time.monotonic() > stop_at:
            raise _OutOfTime

    # Tolerances at rounding, unless asked otherwise: it stops when it cannot go on, and the residual says how far it came.
    options = {"maxiter": max_iterations, "maxfun": 2 * max_iterations, "ftol": float(np.finfo(float).eps), "gtol": gradient}
    try:
        answer = minimize(dual, best, jac=True, method="L-BFGS-B", bounds=bounds, callback=watch, options=options)
        best, status = answer.x, str(answer.message)
    except _OutOfTime:
        status = f"stopped at {time_limit:.0f} s"
    return Attempt(distribution(best)[0], status, steps)
