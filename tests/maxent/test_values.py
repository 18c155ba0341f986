"""Probabilities and entropy, against an interior-point method, sixty-digit arithmetic and closed forms."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given

from dbaudit.maxent import Problem, solve
from tests.maxent import exact, oracle
from tests.maxent.conftest import many
from tests.maxent.strategies import Draft, at_least, at_most, drafts, equation, feasible_problems, releases


def agrees_with_clarabel(problem: Problem) -> None:
    try:
        expected = oracle.reference(problem)
    except oracle.Undecided:
        assume(False)
    assume(expected.gap < 1e-9 and expected.residual < 1e-9)
    solution = solve(problem)
    assert solution.status == "solved"
    assert np.all(np.abs(solution.probability - expected.probability) <= 5e-6 + 2 * expected.error), "beyond what Clarabel's own gap explains"
    assert solution.entropy == pytest.approx(expected.entropy, rel=1e-7, abs=1e-7)


def agrees_to_six_digits(problem: Problem) -> None:
    assume(exact.is_feasible(problem))  # a redundant row with a rounded target can be off by 1e-16, which exact arithmetic does not forgive
    try:
        expected = exact.precise(problem)
    except oracle.Undecided:
        assume(False)
    solution = solve(problem)
    assert solution.status == "solved"
    assert solution.probability == pytest.approx(expected.probability, abs=1e-6)  # where a limit just touches the optimum a gap of 1e-14 allows 1e-7
    assert solution.entropy == pytest.approx(oracle.reported_entropy(problem, expected.probability), rel=1e-8, abs=1e-8)


few_inequalities = drafts(max_subjects=4, max_cells=4, max_rows=3).filter(lambda d: sum(row.lower != row.upper for row in d.rows) <= 4)


@given(feasible_problems())
def test_the_answer_to_a_random_problem_is_that_of_an_interior_point_method(problem: Problem) -> None:
    agrees_with_clarabel(problem)


@given(releases())
def test_the_answer_to_random_releases_is_that_of_an_interior_point_method(draft: Draft) -> None:
    agrees_with_clarabel(draft.build(with_family=True))


@given(few_inequalities)
def test_the_answer_to_a_small_problem_is_right_to_six_digits(draft: Draft) -> None:
    agrees_to_six_digits(draft.build())


@pytest.mark.slow
@many(300)
@given(feasible_problems())
def test_the_answers_to_hundreds_of_random_problems_are_those_of_an_interior_point_method(problem: Problem) -> None:
    agrees_with_clarabel(problem)


@pytest.mark.slow
@many(250)
@given(releases(max_persons=14, max_values=5))
def test_the_answers_to_hundreds_of_random_releases_are_those_of_an_interior_point_method(draft: Draft) -> None:
    agrees_with_clarabel(draft.build(with_family=True))


@pytest.mark.slow
@many(300)
@given(few_inequalities)
def test_the_answers_to_hundreds_of_small_problems_are_right_to_six_digits(draft: Draft) -> None:
    agrees_to_six_digits(draft.build())


def test_a_bucket_without_knowledge_gives_everyone_its_value_shares() -> None:
    rows = [equation({s: 1.0, s + 3: 1.0, s + 6: 1.0}, count) for s, count in enumerate([3.0, 2.0, 1.0])]
    solution = solve(Draft([3, 3, 3], [3.0, 2.0, 1.0], rows).build())
    assert solution.probability == pytest.approx([1 / 2, 1 / 3, 1 / 6] * 3, abs=1e-9)
    assert solution.entropy == pytest.approx(6 * (np.log2(2) / 2 + np.log2(3) / 3 + np.log2(6) / 6), rel=1e-9)


@pytest.mark.parametrize(
    ("mean", "expected"),
    [
        (3.5, [1 / 6] * 6),
        # Jaynes' loaded die, as printed in his Brandeis lectures, to the five digits given there
        (4.5, [0.05435, 0.07877, 0.11416, 0.16545, 0.23977, 0.34749]),
    ],
)
def test_a_die_with_a_known_mean_has_jaynes_distribution(mean: float, expected: list[float]) -> None:
    solution = solve(Draft([6], [1.0], [equation({k: k + 1.0 for k in range(6)}, mean)]).build())
    assert solution.probability == pytest.approx(expected, abs=1e-5)


def test_without_constraints_a_prior_is_its_own_posterior_and_diverges_by_nothing() -> None:
    solution = solve(Draft([2, 3], [1.0, 4.0], [], prior=[3.0, 1.0, 1e-6, 1.0, 1e6]).build())
    total = 1e-6 + 1.0 + 1e6
    assert solution.probability == pytest.approx([0.75, 0.25, 1e-6 / total, 1 / total, 1e6 / total], rel=1e-9)
    assert solution.entropy == pytest.approx(0.0, abs=1e-12)


def test_a_prior_that_is_the_same_for_all_cells_changes_no_probability() -> None:
    draft = Draft([3, 2], [2.0, 1.0], [at_most({0: 1.0, 3: 1.0}, 0.5), at_least({1: 1.0}, 1.2)])
    plain = solve(draft.build())
    flat = solve(Draft(draft.size, draft.person_count, draft.rows, prior=[5.0] * 5).build())
    assert flat.probability == pytest.approx(plain.probability, abs=1e-8)
    assert flat.entropy == pytest.approx(2 * np.log2(3) + 1 - plain.entropy, abs=1e-8)


def test_persons_of_very_different_number_and_coefficients_of_very_different_size_do_not_spoil_the_answer() -> None:
    # one person beside a million; the row ties their shares of the first value together: p = share of both
    million = 1e6
    rows = [equation({0: 1.0, 2: -1 / million}, 0.0), equation({0: 1.0}, 0.3)]
    solution = solve(Draft([2, 2], [1.0, million], rows).build())
    assert solution.probability == pytest.approx([0.3, 0.7, 0.3, 0.7], abs=1e-6)


def test_an_equation_written_as_two_inequalities_gives_the_same_answer() -> None:
    whole = Draft([3, 3], [2.0, 1.0], [equation({0: 1.0, 4: 2.0}, 1.1)])
    halves = Draft([3, 3], [2.0, 1.0], [at_most({0: 1.0, 4: 2.0}, 1.1), at_least({0: 1.0, 4: 2.0}, 1.1)])
    first, second = solve(whole.build()), solve(halves.build())
    assert second.probability == pytest.approx(first.probability, abs=1e-8)
    assert second.multiplier.sum() == pytest.approx(first.multiplier[0], abs=1e-6)
