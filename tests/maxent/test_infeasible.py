"""Contradictions: found exactly where there are some, and told as a smallest set of statements."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import assume, given, settings

from dbaudit.maxent import Infeasible, NotSolved, Problem, bounds, forced, solve
from tests.maxent import oracle
from tests.maxent.conftest import many
from tests.maxent.strategies import (
    Draft,
    Row,
    at_least,
    at_most,
    contradictory_chains,
    contradictory_pairs,
    doubtful_problems,
    equation,
    feasible_problems,
    release_draft,
)


def verdict_is_right(problem: Problem) -> None:
    try:
        possible = oracle.is_feasible(problem)
    except oracle.Undecided:
        assume(False)
    if possible:
        assert solve(problem).status == "solved"
        return
    with pytest.raises(Infeasible) as caught:
        solve(problem)
    if not caught.value.subjects:
        assert oracle.conflict_flaw(problem, caught.value.labels) is None
    assert all(label in str(caught.value) for label in caught.value.labels[:20])


@settings(max_examples=120)
@given(doubtful_problems())
def test_contradictions_are_found_exactly_where_a_linear_program_finds_them_and_told_as_a_smallest_set(problem: Problem) -> None:
    verdict_is_right(problem)


@pytest.mark.slow
@many(400)
@given(doubtful_problems())
def test_hundreds_of_contradictions_are_found_and_told_as_smallest_sets(problem: Problem) -> None:
    verdict_is_right(problem)


@settings(max_examples=30)
@given(contradictory_pairs())
def test_forced_and_bounds_refuse_a_contradictory_problem_too(draft: Draft) -> None:
    problem = draft.build()
    with pytest.raises(Infeasible):
        forced(problem)
    with pytest.raises(Infeasible):
        bounds(problem, np.arange(problem.cell_count))


@settings(max_examples=30)
@given(contradictory_chains())
def test_a_chain_of_comparisons_that_bites_its_tail_is_told_whole_and_without_bystanders(draft: Draft) -> None:
    problem = draft.build()
    with pytest.raises(Infeasible) as caught:
        solve(problem)
    assert len(caught.value.labels) == len(draft.size)
    assert oracle.conflict_flaw(problem, caught.value.labels) is None


@settings(max_examples=40)
@given(feasible_problems())
def test_a_feasible_problem_is_never_called_contradictory(problem: Problem) -> None:
    try:
        forced(problem)
        solve(problem)
    except Infeasible as error:
        pytest.fail(f"{error} - yet a distribution exists that misses the rows by {oracle.violation(problem):.1e} persons in all")


def test_the_conflict_leaves_out_the_rest_of_a_large_problem() -> None:
    random = np.random.default_rng(5)
    hidden = random.integers(0, 4, 80).tolist()
    place = [random.permutation(80) // 5, random.permutation(80) // 5]
    draft = release_draft(hidden, [where.tolist() for where in place], 4)
    bucket = {where: [i for i in range(80) if place[0][i] == where] for where in range(16)}
    told = next(row for row in draft.rows if row.family == 0 and row.block == 3 and row.term)
    rows = [*draft.rows, at_least(told.term, told.lower + 1, "more of them than the bucket has")]
    problem = Draft(draft.size, draft.person_count, rows).build(with_family=True)
    with pytest.raises(Infeasible) as caught:
        solve(problem)
    assert oracle.conflict_flaw(problem, caught.value.labels) is None
    assert "more of them than the bucket has" in caught.value.labels
    assert len(bucket[3]) == 5


def test_rows_with_one_label_are_one_statement_and_named_once() -> None:
    # "A" is contradictory by its two rows together; either row alone is fine
    rows = [at_most({0: 1.0}, 0.4, "A"), at_least({0: 1.0}, 0.6, "A"), at_most({2: 1.0}, 0.1, "B")]
    with pytest.raises(Infeasible) as caught:
        solve(Draft([2, 2], [1.0, 1.0], rows).build())
    assert caught.value.labels == ["A"]


def test_a_statement_takes_all_its_rows_with_it() -> None:
    # Row 1 of A meets B, row 2 of A meets C. {A, B} and {A, C} are smallest; {A, B, C} is not.
    rows = [
        equation({0: 1.0}, 0.25, "A"),
        equation({2: 1.0}, 0.25, "A"),
        equation({0: 1.0}, 0.5, "B"),
        equation({2: 1.0}, 0.5, "C"),
    ]
    with pytest.raises(Infeasible) as caught:
        solve(Draft([2, 2], [1.0, 1.0], rows).build())
    assert sorted(caught.value.labels) in (["A", "B"], ["A", "C"])


def test_rows_that_need_each_other_across_one_label_are_told_as_that_label_and_its_opponent() -> None:
    # A says p <= q and q <= r in two rows; B says p >= r + 1/2
    rows = [at_most({0: 1.0, 2: -1.0}, 0.0, "A"), at_most({2: 1.0, 4: -1.0}, 0.0, "A"), at_least({0: 1.0, 4: -1.0}, 0.5, "B")]
    with pytest.raises(Infeasible) as caught:
        solve(Draft([2, 2, 2], [1.0] * 3, rows).build())
    assert sorted(caught.value.labels) == ["A", "B"]


def test_without_labels_a_row_is_named_by_its_number() -> None:
    rows = [at_most({0: 1.0}, 1.0), equation({0: 1.0}, 0.2), equation({0: 1.0}, 0.7)]
    with pytest.raises(Infeasible) as caught:
        solve(Draft([2], [1.0], rows).build(with_labels=False))
    assert sorted(caught.value.labels) == ["constraint 1", "constraint 2"]


def test_a_subject_without_cells_is_infeasible_by_itself_and_named() -> None:
    problem = Problem(np.array([0, 0, 2]), np.array([1.0, 3.0, 1.0]), sp.csr_array((0, 3)), np.zeros(0), np.zeros(0))
    for ask in (solve, forced):
        with pytest.raises(Infeasible) as caught:
            ask(problem)
        assert caught.value.subjects == [1]
        assert len(caught.value.labels) == 1
        assert caught.value.labels[0] in str(caught.value)
        assert "1" in caught.value.labels[0]


def test_a_subject_without_cells_is_named_even_where_rows_contradict_each_other_too() -> None:
    problem = Problem(np.array([0, 0]), np.array([1.0, 1.0]), sp.csr_array(np.array([[1.0, 0.0]])), np.array([2.0]), np.array([2.0]), labels=["two of one"])
    with pytest.raises(Infeasible) as caught:
        solve(problem)
    assert caught.value.subjects == [1] or caught.value.labels == ["two of one"]


@pytest.mark.parametrize("row", [equation({}, 1.0, "nothing is one"), at_least({}, 0.5, "nothing is one"), at_most({}, -0.5, "nothing is one")])
def test_a_row_without_cells_and_with_a_target_other_than_zero_contradicts_itself(row: Row) -> None:
    with pytest.raises(Infeasible) as caught:
        solve(Draft([2], [1.0], [at_most({0: 1.0}, 0.5, "bystander"), row]).build())
    assert caught.value.labels == ["nothing is one"]


def test_a_row_without_cells_contradicts_itself_even_in_a_problem_without_cells() -> None:
    with pytest.raises(Infeasible) as caught:
        solve(Draft([], [], [equation({}, 1.0, "nothing is one")]).build())
    assert caught.value.labels == ["nothing is one"]


def test_a_row_whose_lower_bound_exceeds_its_upper_bound_contradicts_itself() -> None:
    with pytest.raises(Infeasible) as caught:
        solve(Draft([2], [1.0], [Row({0: 1.0}, 0.6, 0.4, "crossed"), at_most({1: 1.0}, 0.9, "bystander")]).build())
    assert caught.value.labels == ["crossed"]


@pytest.mark.parametrize(
    "row",
    [
        at_least({0: 1.0, 2: 1.0}, 3.5, "too many"),
        at_most({0: -1.0, 1: -1.0}, -2.5, "too many"),
        equation({0: 1.0, 1: 1.0}, 1.5, "too many"),
        at_least({0: 1.0, 2: -1.0}, 2.5, "too many"),
    ],
)
def test_a_row_beyond_what_its_subjects_can_hold_contradicts_itself(row: Row) -> None:
    with pytest.raises(Infeasible) as caught:
        solve(Draft([2, 2], [2.0, 1.0], [at_most({0: 1.0}, 2.0, "bystander"), row]).build())
    assert caught.value.labels == ["too many"]


@pytest.mark.parametrize("miss", [1e-3, 1e-5, 1e-7])
def test_statements_that_miss_each_other_by_a_hair_are_never_called_solved(miss: float) -> None:
    problem = Draft([2, 2], [1.0, 1.0], [equation({0: 1.0, 2: 1.0}, 1.0, "A"), equation({0: 1.0}, 0.5, "B"), equation({2: 1.0}, 0.5 + miss, "C")]).build()
    with pytest.raises((Infeasible, NotSolved)) as caught:
        solve(problem)
    if isinstance(caught.value, Infeasible):
        assert sorted(caught.value.labels) == ["A", "B", "C"]


def test_rounding_of_the_last_digit_is_no_contradiction() -> None:
    # 0.1 + 0.2 is not 0.3 in binary, and three thirds of 1/3 are not 1
    rows = [equation({0: 1.0}, 0.1), equation({1: 1.0}, 0.2), equation({0: 1.0, 1: 1.0}, 0.3), equation({3: 1 / 3}, 1.0)]
    solution = solve(Draft([3, 2], [1.0, 3.0], rows).build())
    assert solution.probability == pytest.approx([0.1, 0.2, 0.7, 1.0, 0.0], abs=1e-9)
