"""The cells that no feasible point uses, against linear programs."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, event, given, settings

from dbaudit.maxent import NotSolved, Problem, forced, solve
from tests.maxent import oracle
from tests.maxent.conftest import many
from tests.maxent.strategies import INFINITY, Draft, Row, at_least, at_most, equation, feasible_problems, half_told_releases, releases, whole_drafts


def agrees_with_linear_program(problem: Problem) -> None:
    try:
        zero = oracle.zero_cells(problem)
    except oracle.Undecided:
        assume(False)
    found = forced(problem)
    assert found.dtype == bool
    assert found.tolist() == zero.tolist()
    try:
        solution = solve(problem)
    except NotSolved:
        # An honest refusal of the estimate (not of the forced cells) is only accepted where priors lie five orders of magnitude apart.
        assert problem.prior is not None and problem.prior.max() >= 1e5 * problem.prior.min()
        event("refused: priors far apart")
        return
    assert solution.is_forced.tolist() == oracle.decided_cells(problem, zero).tolist()
    assert np.all(solution.probability[zero] == 0)
    assert solution.probability[solution.is_forced & ~zero] == pytest.approx(1.0, abs=1e-12)
    assert np.all(solution.probability[~zero] > 0)


@given(feasible_problems(kind="whole"))
def test_the_forced_cells_of_a_random_problem_are_those_that_a_linear_program_finds(problem: Problem) -> None:
    agrees_with_linear_program(problem)


@given(whole_drafts(max_rows=8))
def test_the_forced_cells_of_counts_are_those_that_a_linear_program_finds(draft: Draft) -> None:
    agrees_with_linear_program(draft.build())


@given(releases())
def test_the_forced_cells_of_releases_are_those_that_a_linear_program_finds(draft: Draft) -> None:
    agrees_with_linear_program(draft.build(with_family=True))


@settings(max_examples=100)
@given(half_told_releases())
def test_the_forced_cells_of_half_told_releases_are_those_that_a_linear_program_finds(draft: Draft) -> None:
    agrees_with_linear_program(draft.build(with_family=True))


@pytest.mark.slow
@many(400)
@given(half_told_releases())
def test_the_forced_cells_of_hundreds_of_half_told_releases_are_those_that_a_linear_program_finds(draft: Draft) -> None:
    agrees_with_linear_program(draft.build(with_family=True))


@pytest.mark.slow
@many(300)
@given(feasible_problems(kind="whole", max_rows=9))
def test_the_forced_cells_of_hundreds_of_random_problems_are_those_that_a_linear_program_finds(problem: Problem) -> None:
    agrees_with_linear_program(problem)


@pytest.mark.slow
@many(250)
@given(releases(max_persons=16, max_values=5))
def test_the_forced_cells_of_hundreds_of_releases_are_those_that_a_linear_program_finds(draft: Draft) -> None:
    agrees_with_linear_program(draft.build(with_family=True))


def test_a_row_of_target_zero_with_positive_coefficients_empties_its_cells() -> None:
    problem = Draft([3, 3], [2.0, 1.0], [equation({0: 1.0, 4: 3.0}, 0.0)]).build()
    assert forced(problem).tolist() == [True, False, False, False, True, False]


def test_a_row_at_its_largest_possible_value_empties_the_other_cells() -> None:
    problem = Draft([3, 2], [2.0, 1.0], [at_least({0: 2.0, 1: 1.0, 3: 1.0}, 5.0)]).build()
    assert forced(problem).tolist() == [False, True, True, False, True]
    assert solve(problem).is_forced.tolist() == [True] * 5


def test_two_rows_that_only_together_leave_no_room_force_a_cell() -> None:
    # A and B each have s0 or s1 in the first release; the second says that among A, B, C there is one s0 and one s1 and one s2.
    problem = Draft(
        [2, 2, 3],
        [1.0, 1.0, 1.0],
        [equation({0: 1.0, 2: 1.0, 4: 1.0}, 1.0), equation({1: 1.0, 3: 1.0, 5: 1.0}, 1.0)],
    ).build()
    assert forced(problem).tolist() == [False] * 4 + [True, True, False]


def test_opposite_inequalities_that_meet_only_together_force_a_cell() -> None:
    # at most one of the first two, at least two of all three: the third has it, though neither row is at its own extreme
    problem = Draft([2, 2, 2], [1.0] * 3, [at_most({0: 1.0, 2: 1.0}, 1.0), at_least({0: 1.0, 2: 1.0, 4: 1.0}, 2.0)]).build()
    assert forced(problem).tolist() == [False] * 5 + [True]
    assert solve(problem).probability == pytest.approx([0.5, 0.5, 0.5, 0.5, 1, 0], abs=1e-9)


def test_comparisons_with_differences_force_cells_through_negative_coefficients() -> None:
    # p(a) >= p(b) + 1/2 and p(b) >= p(c) + 1/2 leave p(a) = 1, p(b) = 1/2, p(c) = 0
    problem = Draft([2, 2, 2], [1.0] * 3, [at_least({0: 1.0, 2: -1.0}, 0.5), at_least({2: 1.0, 4: -1.0}, 0.5)]).build()
    assert forced(problem).tolist() == [False, True, False, False, True, False]
    solution = solve(problem)
    assert solution.probability == pytest.approx([1, 0, 0.5, 0.5, 0, 1], abs=1e-9)
    assert solution.is_forced.tolist() == [True, True, False, False, True, True]


def test_nothing_is_forced_where_a_cell_can_still_hold_a_hundred_thousandth_of_a_person() -> None:
    problem = Draft([3], [1.0], [at_least({0: 1.0}, 1 - 1e-5)]).build()
    assert not forced(problem).any()
    assert solve(problem).probability == pytest.approx([1 - 1e-5, 5e-6, 5e-6], abs=1e-9)


def test_a_tiny_prior_forces_nothing() -> None:
    problem = Draft([3, 2], [1.0, 2.0], [equation({0: 1.0, 3: 1.0}, 1.0)], prior=[1e-12, 1.0, 1e12, 1e-9, 1.0]).build()
    assert not forced(problem).any()
    assert not solve(problem).is_forced.any()


def test_no_possible_cell_is_called_impossible_where_limits_and_counts_of_two_releases_meet() -> None:
    # Cells 12 and 16 can each be 1, though a solver that once combined these rows carelessly dropped both and certified the rest.
    ones = [[2, 7], [4, 9], [0, 5, 18, 20], [1, 6, 19, 21], [10, 14], [0, 2, 5, 7, 11, 15, 18, 20], [1, 3, 6, 8, 12, 16, 19, 21], [4, 9, 13, 17]]
    told = [(1.0, INFINITY), (1.0, INFINITY), (2.0, 2.0), (2.0, INFINITY), (-INFINITY, 1.0), (4.0, INFINITY), (2.0, INFINITY), (1.0, INFINITY)]
    rows = [Row(dict.fromkeys(cells, 1.0), low, high) for cells, (low, high) in zip(ones, told, strict=True)]
    problem = Draft([2, 3, 2, 3, 4, 4, 2, 2], [1.0] * 8, rows).build()
    assert np.flatnonzero(forced(problem)).tolist() == [3, 8]
    agrees_with_linear_program(problem)
