"""The last stage: what an answer is worth, recomputed from it on the problem as it was given, whatever the stages before believed."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from . import tolerance
from .arrays import largest_coefficients, size_of
from .problem import Bools, Floats, Ints, Problem


@dataclass(frozen=True)
class Certificate:
    """Relative figures; both near 0 prove that no feasible distribution has a better value by more than that."""

    residual: float
    duality_gap: float
    value: float  # nats: divergence from the prior, or minus the entropy where there is none


def certify(problem: Problem, probability: Floats, multiplier: Floats, alive: Bools, component_of_subject: Ints) -> Certificate:
    """Largest violation and duality gap. The gap is taken component by component, so that a large one cannot hide a small one's."""
    if not problem.cell_count:
        return Certificate(_violation(problem, np.zeros(0)), 0.0, 0.0)
    persons = problem.person_count[problem.subject] * probability
    begins = problem.first_cell[:-1]
    log_prior = problem.log_prior
    positive = np.where(probability > 0, probability, 1.0)
    value = np.add.reduceat(np.where(probability > 0, persons * (np.log(positive) - log_prior), 0.0), begins)

    exponent = np.where(alive, log_prior + problem.matrix.T @ multiplier, -np.inf)
    top = np.maximum.reduceat(exponent, begins)
    log_total = np.log(np.add.reduceat(np.exp(exponent - top[problem.subject]), begins)) + top
    # A multiplier with the sign of an absent bound proves nothing: infinitely bad, unless it is 0.
    bound = np.where(multiplier > 0, problem.lower, problem.upper)
    with np.errstate(invalid="ignore"):
        gain = np.where(multiplier == 0, 0.0, multiplier * bound)
    count = int(component_of_subject.max()) + 1
    first_entry = problem.matrix.indptr[:-1][np.diff(problem.matrix.indptr) > 0]
    filled = np.flatnonzero(np.diff(problem.matrix.indptr) > 0)
    component_of_row = component_of_subject[problem.subject[problem.matrix.indices[first_entry]]]
    primal = np.bincount(component_of_subject, value, count)
    dual = np.bincount(component_of_row, gain[filled], count) - np.bincount(component_of_subject, problem.person_count * log_total, count)
    # What double precision cannot tell of a sum over so many persons is no gap.
    rounding = tolerance.ROUNDING * np.bincount(component_of_subject, problem.person_count, count)
    gap = np.maximum(np.abs(primal - dual) - rounding, 0.0) / np.maximum(1.0, np.abs(primal))
    return Certificate(_violation(problem, persons), float(np.nan_to_num(gap, nan=np.inf).max()), float(primal.sum()))


def _violation(problem: Problem, persons: Floats) -> float:
    """The largest violation of a row, beside the bound it violates or, where that is small, the row's largest coefficient."""
    if not problem.row_count:
        return 0.0
    activity = problem.matrix @ persons
    size = largest_coefficients(problem.matrix)
    below = np.where(np.isfinite(problem.lower), problem.lower - activity, 0.0) / np.maximum(size, size_of(problem.lower))
    above = np.where(np.isfinite(problem.upper), activity - problem.upper, 0.0) / np.maximum(size, size_of(problem.upper))
    return float(max(0.0, below.max(), above.max()))
