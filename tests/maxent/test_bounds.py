"""What is certain: the smallest and largest probability of cells and of sets of cells, against two linear programs each."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from dbaudit.maxent import Problem, bounds, forced, solve
from tests.maxent import oracle
from tests.maxent.conftest import many
from tests.maxent.strategies import Draft, at_least, at_most, equation, feasible_problems, releases, whole_drafts

LINEAR_PROGRAM_ERROR = 1e-7


def agrees_with_linear_programs(problem: Problem) -> None:
    cells = np.arange(problem.cell_count)
    try:
        low, high = oracle.cell_extremes(problem, cells)
    except oracle.Undecided:
        assume(False)
    lower, upper = bounds(problem, cells)
    assert lower == pytest.approx(low, abs=LINEAR_PROGRAM_ERROR)
    assert upper == pytest.approx(high, abs=LINEAR_PROGRAM_ERROR)
    assert np.all((lower >= 0) & (upper <= 1) & (lower <= upper))
    probability = solve(problem).probability
    assert np.all(lower - 1e-8 <= probability)
    assert np.all(probability <= upper + 1e-8)


@settings(max_examples=40)
@given(st.one_of(feasible_problems(), whole_drafts().map(lambda draft: draft.build())))
def test_the_bounds_of_each_cell_are_those_of_two_linear_programs_and_hold_the_answer(problem: Problem) -> None:
    agrees_with_linear_programs(problem)


@settings(max_examples=30)
@given(releases())
def test_the_bounds_in_releases_are_those_of_two_linear_programs_and_hold_the_answer(draft: Draft) -> None:
    agrees_with_linear_programs(draft.build(with_family=True))


@pytest.mark.slow
@many(250)
@given(st.one_of(feasible_problems(), releases().map(lambda draft: draft.build(with_family=True))))
def test_the_bounds_of_each_cell_of_hundreds_of_problems_are_those_of_two_linear_programs(problem: Problem) -> None:
    agrees_with_linear_programs(problem)


@st.composite
def questions(draw: st.DrawFn) -> tuple[Problem, sp.csr_array]:
    """A problem, and sums over cells of one subject and of several, some with weights."""
    problem = draw(st.one_of(feasible_problems(), releases().map(lambda draft: draft.build(with_family=True))))
    weight = st.sampled_from([0.0, 0.0, 1.0, 1.0, 1.0, 0.25, -2.0])
    asked = draw(st.lists(st.lists(weight, min_size=problem.cell_count, max_size=problem.cell_count), min_size=1, max_size=3))
    subject = draw(st.integers(0, problem.subject_count - 1))
    asked.append([float(s == subject and k % 2 == 0) for k, s in enumerate(problem.subject)])
    return problem, sp.csr_array(np.array(asked))


@settings(max_examples=40)
@given(questions())
def test_the_bounds_of_a_set_of_cells_are_those_of_two_linear_programs_and_hold_the_answer(question: tuple[Problem, sp.csr_array]) -> None:
    problem, what = question
    try:
        low, high = oracle.extremes(problem, what)
    except oracle.Undecided:
        assume(False)
    lower, upper = bounds(problem, what)
    assert lower.shape == upper.shape == (what.shape[0],)
    assert lower == pytest.approx(low, abs=5 * LINEAR_PROGRAM_ERROR)
    assert upper == pytest.approx(high, abs=5 * LINEAR_PROGRAM_ERROR)
    told = what @ solve(problem).probability
    assert np.all((lower - 1e-7 <= told) & (told <= upper + 1e-7))


@settings(max_examples=30)
@given(whole_drafts(max_rows=7))
def test_a_cell_is_forced_exactly_where_its_upper_bound_is_zero(draft: Draft) -> None:
    problem = draft.build()
    _, upper = bounds(problem, np.arange(problem.cell_count))
    assert forced(problem).tolist() == (upper < 1e-9).tolist()


def test_cells_may_be_asked_in_any_order_and_more_than_once() -> None:
    problem = Draft([3, 2], [1.0, 2.0], [at_most({0: 1.0, 3: 1.0}, 0.5), at_least({1: 1.0}, 0.25)]).build()
    lower, upper = bounds(problem, np.array([3, 0, 1, 3]))
    assert lower == pytest.approx([0, 0, 0.25, 0], abs=1e-9)
    assert upper == pytest.approx([0.25, 0.5, 1, 0.25], abs=1e-9)


def test_nothing_asked_is_nothing_answered() -> None:
    lower, upper = bounds(Draft([2], [1.0]).build(), np.zeros(0, dtype=np.int64))
    assert lower.shape == upper.shape == (0,)


def test_the_bounds_of_a_whole_subject_and_of_all_persons_are_exact() -> None:
    problem = Draft([2, 3], [4.0, 1.0], [equation({0: 1.0, 2: 1.0}, 2.0)]).build()
    lower, upper = bounds(problem, sp.csr_array(np.array([[1.0, 1, 0, 0, 0], [1, 1, 1, 1, 1], [4, 0, 1, 0, 0], [0, 0, 0, 0, 0]])))
    assert lower == pytest.approx([1, 2, 2, 0], abs=1e-9)
    assert upper == pytest.approx([1, 2, 2, 0], abs=1e-9)


def test_a_pair_across_subjects_has_narrower_bounds_than_the_sum_of_its_parts() -> None:
    # exactly one of two persons has the value: each may, both may not
    problem = Draft([2, 2], [1.0, 1.0], [equation({0: 1.0, 2: 1.0}, 1.0)]).build()
    lower, upper = bounds(problem, sp.csr_array(np.array([[1.0, 0, 0, 0], [0, 0, 1, 0], [1, 0, 1, 0]])))
    assert lower == pytest.approx([0, 0, 1], abs=1e-9)
    assert upper == pytest.approx([1, 1, 1], abs=1e-9)


def test_bounds_are_per_probability_and_not_per_person() -> None:
    # five alike persons, two of whom have the value: P = 2/5 for sure
    lower, upper = bounds(Draft([2], [5.0], [equation({0: 1.0}, 2.0)]).build(), np.array([0, 1]))
    assert lower == pytest.approx([0.4, 0.6], abs=1e-12)
    assert upper == pytest.approx([0.4, 0.6], abs=1e-12)
