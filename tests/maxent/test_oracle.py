"""The oracle is itself held to closed forms and to its own second opinion: a wrong judge would acquit a wrong solver."""

from __future__ import annotations

from decimal import Decimal, localcontext
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given, settings

from dbaudit.maxent.problem import Problem
from tests.maxent import exact, oracle
from tests.maxent.strategies import Draft, at_least, at_most, doubtful_problems, drafts, equation, feasible_problems, near_boundary, whole_drafts


def test_the_oracle_gives_a_bucket_its_value_shares() -> None:
    cells = {s: [s, s + 3, s + 6] for s in range(3)}
    problem = Draft([3, 3, 3], [2.0, 1.0, 1.0], [equation(dict.fromkeys(cells[s], 1.0), count) for s, count in enumerate([2.0, 1.0, 1.0])]).build()
    for answer in (oracle.reference(problem).probability, exact.precise(problem).probability):
        assert answer == pytest.approx([0.5, 0.25, 0.25] * 3, abs=2e-5)


def loaded_die(mean: Fraction) -> list[float]:
    """The distribution on 1 .. 6 of greatest entropy with this mean, by bisection in fifty digits: p(k) is proportional to r ** k."""
    with localcontext() as context:
        context.prec = 50
        goal = Decimal(mean.numerator) / Decimal(mean.denominator)
        low, high = Decimal(-60), Decimal(60)
        for _ in range(170):
            middle = (low + high) / 2
            weight = [(middle * (k - 6)).exp() if middle > 0 else (middle * (k - 1)).exp() for k in range(1, 7)]
            total = sum(weight, Decimal(0))
            if sum((k * w for k, w in enumerate(weight, 1)), Decimal(0)) / total < goal:
                low = middle
            else:
                high = middle
        return [float(w / total) for w in weight]


@pytest.mark.parametrize("mean", [4.5, 3.5, 1.25, 6 - 1e-6, 6 - 1e-9, 6 - 1e-12])
def test_sixty_digit_arithmetic_agrees_with_bisection_on_a_loaded_die(mean: float) -> None:
    problem = Draft([6], [1.0], [equation({k: k + 1.0 for k in range(6)}, mean)]).build()
    assert exact.precise(problem).probability == pytest.approx(loaded_die(Fraction(mean)), rel=1e-12)


def test_exact_and_floating_linear_programs_find_the_same_zeros_when_two_rows_force_them_together() -> None:
    # x0 + x1 = 1 and x0 + x1 + x3 = 1 leave nothing for x3
    problem = Draft([3, 2], [1.0, 1.0], [equation({0: 1.0, 1: 1.0}, 1.0), equation({0: 1.0, 1: 1.0, 3: 1.0}, 1.0)]).build()
    zero = [False, False, True, True, False]
    assert oracle.zero_cells(problem).tolist() == zero
    assert [m == 0 for m in exact.cell_maxima(problem)] == zero


@settings(max_examples=25)
@given(whole_drafts())
def test_the_two_linear_programs_agree_on_forced_cells(draft: Draft) -> None:
    problem = draft.build()
    assert oracle.zero_cells(problem).tolist() == [m == 0 for m in exact.cell_maxima(problem)]


@settings(max_examples=25)
@given(doubtful_problems())
def test_the_two_linear_programs_agree_on_feasibility(problem: Problem) -> None:
    assert oracle.is_feasible(problem) == exact.is_feasible(problem)


@settings(max_examples=25)
@given(drafts(max_subjects=3, max_cells=4, max_rows=3))
def test_clarabel_and_sixty_digit_arithmetic_agree(draft: Draft) -> None:
    problem = draft.build()
    assume(exact.is_feasible(problem))
    try:
        first, second = oracle.reference(problem), exact.precise(problem)
    except oracle.Undecided:
        assume(False)
    assert np.all(np.abs(first.probability - second.probability) <= 1e-6 + 2 * first.error)


@settings(max_examples=10)
@given(feasible_problems())
def test_clarabel_asked_directly_gives_what_it_gives_through_cvxpy(problem: Problem) -> None:
    import cvxpy as cp  # here, because it is slow to import

    try:
        direct = oracle.reference(problem)
    except oracle.Undecided:
        assume(False)
    assume(direct.gap < 1e-9 and direct.residual < 1e-9)
    count = problem.person_count[problem.subject]
    p = cp.Variable(problem.cell_count, nonneg=True)
    activity = problem.matrix @ cp.multiply(count, p)
    limits = [activity[k] >= problem.lower[k] for k in np.flatnonzero(np.isfinite(problem.lower))]
    limits += [activity[k] <= problem.upper[k] for k in np.flatnonzero(np.isfinite(problem.upper))]
    limits += [oracle.subject_sums(problem) @ p == 1, p[direct.zero] == 0]
    program = cp.Problem(cp.Minimize(count @ (-cp.entr(p) - cp.multiply(np.log(oracle.prior_share(problem)), p))), limits)
    program.solve(solver=cp.CLARABEL)
    assert program.value == pytest.approx(oracle.divergence(problem, direct.probability), rel=1e-5, abs=1e-5)
    assert p.value == pytest.approx(direct.probability, abs=1e-3)  # cvxpy at its usual tolerance, and entropy is flat at its top


@settings(max_examples=25)
@given(feasible_problems())
def test_problems_that_are_feasible_by_construction_are_feasible(problem: Problem) -> None:
    assert oracle.is_feasible(problem)


@settings(max_examples=25)
@given(near_boundary())
def test_a_problem_near_its_boundary_is_exactly_feasible(given_problem: tuple[Problem, float]) -> None:
    assert exact.is_feasible(given_problem[0])


def test_a_conflict_that_is_not_contradictory_or_not_smallest_is_called_flawed() -> None:
    rows = [equation({0: 1.0}, 0.2, "a"), equation({0: 1.0}, 0.7, "b"), at_most({1: 1.0}, 0.9, "c"), at_least({2: 1.0}, 2.0, "d")]
    problem = Draft([2, 1], [1.0, 1.0], rows).build()
    assert oracle.conflict_flaw(problem, ["a", "b"]) is None
    assert oracle.conflict_flaw(problem, ["d"]) is None
    assert "can hold together" in str(oracle.conflict_flaw(problem, ["a", "c"]))
    assert "stays contradictory without 'c'" in str(oracle.conflict_flaw(problem, ["a", "b", "c"]))
    assert "not statements" in str(oracle.conflict_flaw(problem, ["z"]))
    assert oracle.conflict_flaw(problem, []) == "no statement is named"


def test_a_certificate_shows_a_wrong_answer_and_a_multiplier_of_the_wrong_sign() -> None:
    problem = Draft([2], [1.0], [at_least({0: 1.0}, 0.75)]).build()
    nothing = np.zeros(2, dtype=bool)
    right = oracle.certificate(problem, np.array([0.75, 0.25]), np.array([np.log(3.0)]), nothing)
    assert max(right.residual, right.gap, right.stationarity) < 1e-12
    assert oracle.certificate(problem, np.array([0.8, 0.2]), np.array([np.log(3.0)]), nothing).gap > 1e-3
    assert oracle.certificate(problem, np.array([0.5, 0.5]), np.array([0.0]), nothing).residual > 0.1
    assert oracle.certificate(problem, np.array([0.75, 0.25]), np.array([-1.0]), nothing).gap == float("inf")
