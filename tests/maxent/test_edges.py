"""Corners: nothing at all, the smallest of everything, worked examples, hints, interruptions, and wrong arrays."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings

from dbaudit.maxent import Infeasible, MaxentError, NotSolved, Problem, Progress, TooLarge, forced, solve
from tests.maxent import exact, oracle
from tests.maxent.strategies import INFINITY, Draft, Row, at_least, at_most, drafts, equation, release_draft, releases


# ------------------------------------------------------------------------------------------------ little or nothing
def test_the_empty_problem_has_the_empty_answer() -> None:
    problem = Draft([], []).build()
    solution = solve(problem)
    assert solution.probability.shape == solution.is_forced.shape == solution.multiplier.shape == (0,)
    assert (solution.entropy, solution.residual, solution.duality_gap, solution.component_count, solution.status) == (0.0, 0.0, 0.0, 0, "solved")
    assert forced(problem).shape == (0,)


def test_a_problem_without_cells_may_have_rows_that_say_nothing() -> None:
    solution = solve(Draft([], [], [equation({}, 0.0), at_most({}, 3.0)]).build())
    assert solution.multiplier.shape == (2,)
    assert solution.status == "solved"


def test_without_rows_every_value_of_a_person_is_as_likely_as_the_others() -> None:
    solution = solve(Draft([4, 1, 2], [1.0, 7.0, 2.5]).build())
    assert solution.probability == pytest.approx([0.25] * 4 + [1.0] + [0.5] * 2, abs=1e-12)
    assert solution.entropy == pytest.approx(2.0 + 0.0 + 2.5, rel=1e-12)
    assert solution.is_forced.tolist() == [False] * 4 + [True] + [False] * 2
    assert solution.component_count == 3


def test_a_single_cell_is_certain() -> None:
    solution = solve(Draft([1], [3.0], [equation({0: 2.0}, 6.0)]).build())
    assert solution.probability.tolist() == [1.0]
    assert solution.is_forced.tolist() == [True]
    assert solution.entropy == pytest.approx(0.0, abs=1e-12)
    assert not forced(Draft([1], [3.0]).build()).any()


def test_rows_without_cells_or_without_bounds_change_nothing_and_have_no_multiplier() -> None:
    rows = [equation({}, 0.0), Row({0: 1.0}, -INFINITY, INFINITY), equation({0: 1.0}, 0.2), at_most({}, 5.0), Row({}, -INFINITY, INFINITY)]
    solution = solve(Draft([2], [1.0], rows).build())
    assert solution.probability == pytest.approx([0.2, 0.8], abs=1e-9)
    assert solution.multiplier[[0, 1, 3, 4]].tolist() == [0.0] * 4


def test_stored_zeros_and_repeated_entries_of_the_matrix_count_as_what_they_sum_to() -> None:
    matrix = sp.csr_array((np.array([0.5, 0.5, 0.0]), np.array([0, 0, 2]), np.array([0, 3])), shape=(1, 3))
    solution = solve(Problem(np.array([0, 0, 0]), np.array([1.0]), matrix, np.array([0.5]), np.array([0.5])))
    assert solution.probability == pytest.approx([0.5, 0.25, 0.25], abs=1e-9)


def test_cells_in_no_row_share_what_the_rows_leave() -> None:
    solution = solve(Draft([4, 2], [1.0, 1.0], [equation({0: 1.0}, 0.4)]).build())
    assert solution.probability == pytest.approx([0.4, 0.2, 0.2, 0.2, 0.5, 0.5], abs=1e-9)


def test_parts_that_share_neither_subject_nor_row_are_counted_as_components() -> None:
    rows = [equation({0: 1.0, 2: 1.0}, 0.7), equation({4: 1.0, 6: 1.0}, 0.9)]
    assert solve(Draft([2] * 5, [1.0] * 5, rows).build()).component_count == 3


# ------------------------------------------------------------------------------------------------ inequalities
@pytest.mark.parametrize(
    ("row", "share", "sign"),
    [
        (at_most({0: 1.0}, 0.9), 0.5, 0),
        (at_most({0: 1.0}, 0.3), 0.3, -1),
        (at_least({0: 1.0}, 0.2), 0.5, 0),
        (at_least({0: 1.0}, 0.8), 0.8, 1),
        (Row({0: 1.0}, 0.1, 0.7), 0.5, 0),
        (Row({0: 1.0}, 0.1, 0.4), 0.4, -1),
        (Row({0: 1.0}, 0.6, 0.9), 0.6, 1),
        (at_most({0: -1.0}, -0.8), 0.8, -1),
        (at_most({0: 1.0}, 0.5), 0.5, 0),
    ],
)
def test_an_inequality_binds_only_where_it_must_and_its_multiplier_shows_which_end(row: Row, share: float, sign: int) -> None:
    solution = solve(Draft([2], [1.0], [row]).build())
    assert solution.probability == pytest.approx([share, 1 - share], abs=1e-6)  # at its tip the optimum is flat: a gap of 1e-14 allows 1e-7
    assert int(np.sign(np.round(solution.multiplier[0], 5))) == sign


def test_two_opposite_inequalities_make_an_equation() -> None:
    rows = [at_most({0: 1.0, 2: 1.0}, 0.6), at_most({0: -2.0, 2: -2.0}, -1.2)]
    solution = solve(Draft([2, 2], [1.0, 1.0], rows).build())
    assert solution.probability == pytest.approx([0.3, 0.7, 0.3, 0.7], abs=1e-9)
    assert np.all(solution.multiplier <= 0)


def test_an_equation_that_three_inequalities_imply_only_together_is_met() -> None:
    # a <= b <= c <= a: all three shares are equal, and the fourth row fixes their sum
    rows = [at_most({0: 1.0, 2: -1.0}, 0.0), at_most({2: 1.0, 4: -1.0}, 0.0), at_most({4: 1.0, 0: -1.0}, 0.0), equation({0: 1.0, 2: 1.0, 4: 1.0}, 0.75)]
    solution = solve(Draft([2, 2, 2], [1.0] * 3, rows).build())
    assert solution.probability == pytest.approx([0.25, 0.75] * 3, abs=1e-9)


# ------------------------------------------------------------------------------------------------ Re-publishing, Figure 1
DIABETES, FLU, HIV, LUNG_CANCER, PNEUMONIA = range(5)
FIRST_RELEASE = [
    ([1, 2, 3, 4], [DIABETES, FLU, FLU, PNEUMONIA]),
    ([5, 6, 7], [DIABETES, FLU, PNEUMONIA]),
    ([8, 9, 10], [FLU, HIV, LUNG_CANCER]),
    ([11, 12, 13], [PNEUMONIA, DIABETES, HIV]),
]
SECOND_RELEASE = [
    ([1, 2, 14], [DIABETES, FLU, PNEUMONIA]),
    ([3, 4, 15], [DIABETES, FLU, PNEUMONIA]),
    ([5, 8, 11], [FLU, HIV, PNEUMONIA]),
    ([6, 9, 12], [FLU, HIV, PNEUMONIA]),
]


def hospital(*published: list[tuple[list[int], list[int]]]) -> tuple[Problem, dict[tuple[int, int], int]]:
    """One subject per patient 1 .. 15 who appears, and the cell of each (patient, disease) that his buckets have in common."""
    patients = sorted({i for release in published for members, _ in release for i in members})
    common = {i: set.intersection(*(set(values) for release in published for members, values in release if i in members)) for i in patients}
    cell: dict[tuple[int, int], int] = {}
    for i in patients:
        for s in sorted(common[i]):
            cell[i, s] = len(cell)
    rows = [
        equation({cell[i, s]: 1.0 for i in members if (i, s) in cell}, float(values.count(s)), f"release {r + 1}, bucket {b + 1}, disease {s}", r, b)
        for r, release in enumerate(published)
        for b, (members, values) in enumerate(release)
        for s in sorted(set(values))
    ]
    return Draft([len(common[i]) for i in patients], [1.0] * len(patients), rows).build(with_family=True), cell


def test_in_figure_1_patients_14_and_15_cannot_have_flu_though_no_single_bucket_says_so() -> None:
    problem, cell = hospital(FIRST_RELEASE, SECOND_RELEASE)
    found = forced(problem)
    assert found[cell[14, FLU]]
    assert found[cell[15, FLU]]
    assert found.sum() == 8
    solution = solve(problem)
    assert solution.probability[cell[14, FLU]] == solution.probability[cell[15, FLU]] == 0
    assert solution.component_count == 2


def test_figure_1_has_the_answer_of_sixty_digit_arithmetic() -> None:
    problem, _ = hospital(FIRST_RELEASE, SECOND_RELEASE)
    truth = exact.precise(problem)
    solution = solve(problem)
    assert solution.probability == pytest.approx(truth.probability, abs=1e-9)
    assert forced(problem).tolist() == truth.zero.tolist()


def test_in_figure_1_patient_1_has_flu_with_one_half_by_the_first_release_and_patient_11_has_pneumonia_with_one_half_by_both() -> None:
    alone, cell = hospital(FIRST_RELEASE)
    assert solve(alone).probability[cell[1, FLU]] == pytest.approx(0.5, abs=1e-9)
    second, cell = hospital(SECOND_RELEASE)
    assert solve(second).probability[[cell[11, FLU], cell[11, PNEUMONIA]]] == pytest.approx([1 / 3, 1 / 3], abs=1e-9)
    both, cell = hospital(FIRST_RELEASE, SECOND_RELEASE)
    assert (11, FLU) not in cell
    assert solve(both).probability[cell[11, PNEUMONIA]] == pytest.approx(0.5, abs=1e-9)


# ------------------------------------------------------------------------------------------------ hints and interruptions
def chained_releases(persons: int = 60, seed: int = 3) -> Problem:
    random = np.random.default_rng(seed)
    hidden = random.integers(0, 4, persons).tolist()
    place = [(random.permutation(persons) // 6).tolist() for _ in range(2)]
    return release_draft(hidden, place, 4).build(with_family=True)


def test_starting_from_the_answer_gives_the_same_answer_in_no_more_steps() -> None:
    problem = chained_releases()
    cold = solve(problem)
    warm = solve(problem, start=cold.multiplier)
    assert warm.status == cold.status == "solved"
    assert warm.probability == pytest.approx(cold.probability, abs=1e-8)
    assert warm.is_forced.tolist() == cold.is_forced.tolist()
    assert warm.iterations <= cold.iterations


def test_a_start_shorter_than_the_rows_begins_the_rest_at_zero() -> None:
    rows = [equation({k: k + 1.0 for k in range(6)}, 4.5), at_most({0: 1.0}, 0.9), equation({7: 1.0, 0: 1.0}, 0.3)]
    before, after = Draft([6, 3], [1.0, 1.0], rows[:1]).build(), Draft([6, 3], [1.0, 1.0], rows).build()
    warm = solve(after, start=solve(before).multiplier)
    assert warm.probability == pytest.approx(solve(after).probability, abs=1e-8)


@settings(max_examples=30)
@given(drafts())
def test_a_misleading_start_does_not_change_the_answer(draft: Draft) -> None:
    problem = draft.build()
    cold = solve(problem)
    warm = solve(problem, start=np.where(np.arange(problem.row_count) % 2, 5.0, -5.0) / oracle.row_scale(problem))
    assert warm.status == "solved"
    assert warm.probability == pytest.approx(cold.probability, abs=1e-6)


def test_progress_is_told_as_a_named_stage_with_a_share_between_nothing_and_all() -> None:
    told: list[Progress] = []
    solution = solve(chained_releases(), progress=told.append)
    assert solution.status == "solved"
    assert told
    assert all(isinstance(step, Progress) and step.stage for step in told)
    assert all(0 <= step.done <= 1 for step in told)
    assert all(step.residual >= 0 for step in told)


@pytest.mark.parametrize("patience", [0, 1, 3, 10])
def test_a_stopped_solver_says_so_with_true_figures_or_has_finished(patience: int) -> None:
    problem = chained_releases()
    calls = 0

    def stop() -> bool:
        nonlocal calls
        calls += 1
        return calls > patience

    solution = solve(problem, stop=stop)
    assert calls > 0
    assert solution.status in ("solved", "stopped")
    zero = solution.is_forced & (solution.probability == 0)
    assert not np.any(zero & ~oracle.zero_cells(problem)), "a stopped solver may have proven less, never something false"
    assert np.bincount(problem.subject, solution.probability) == pytest.approx(1.0, abs=1e-9)
    measured = oracle.certificate(problem, solution.probability, solution.multiplier, zero)
    if solution.status == "solved":
        assert max(measured.residual, measured.gap) <= 1e-9
        assert zero.tolist() == oracle.zero_cells(problem).tolist()
    # relative to 1 + target here, perhaps to max(1, target) there: at most a factor of two apart
    assert solution.residual == pytest.approx(measured.residual, rel=1.01, abs=1e-12)
    assert solution.residual >= measured.residual * 0.99 - 1e-12
    assert solution.duality_gap == pytest.approx(measured.gap, rel=1e-3, abs=1e-11)


@settings(max_examples=25)
@given(releases())
def test_a_solver_stopped_at_once_never_claims_an_uncertified_answer(draft: Draft) -> None:
    problem = draft.build(with_family=True)
    try:
        solution = solve(problem, stop=lambda: True)
    except NotSolved:
        pytest.fail("being stopped is the caller's wish, not a failure to solve")
    measured = oracle.certificate(problem, solution.probability, solution.multiplier, solution.is_forced & (solution.probability == 0))
    assert solution.status == "stopped" or max(measured.residual, measured.gap) <= 1e-9


# ------------------------------------------------------------------------------------------------ wrong arrays
def right() -> dict[str, Any]:
    return {
        "subject": np.array([0, 0, 1, 1]),
        "person_count": np.array([1.0, 2.0]),
        "matrix": sp.csr_array(np.array([[1.0, 0, 1, 0], [0, 1, 0, 0]])),
        "lower": np.array([1.0, 0.0]),
        "upper": np.array([1.0, 0.5]),
        "prior": np.ones(4),
        "labels": ["a", "b"],
        "family": np.array([0, -1]),
        "block": np.array([0, -1]),
    }


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"subject": np.array([0, 1, 0, 1])}, "sorted"),
        ({"subject": np.array([0, 0, 1, 2])}, "subject"),
        ({"subject": np.array([-1, 0, 1, 1])}, "subject"),
        ({"subject": np.array([0.0, 0.0, 1.0, 1.0])}, "whole numbers"),
        ({"subject": np.array([[0, 0], [1, 1]])}, "one-dimensional"),
        ({"person_count": np.array([1.0, 0.0])}, r"person_count.*subject 1"),
        ({"person_count": np.array([1.0, -2.0])}, r"person_count.*subject 1"),
        ({"person_count": np.array([np.nan, 2.0])}, r"person_count.*subject 0"),
        ({"person_count": np.array([np.inf, 2.0])}, r"person_count.*subject 0"),
        ({"matrix": sp.csr_array(np.ones((2, 3)))}, r"matrix is 2 x 3.*4 cells"),
        ({"matrix": sp.csr_array(np.ones((3, 4)))}, r"matrix is 3 x 4.*2 lower bounds"),
        ({"matrix": sp.csr_array(np.array([[1.0, np.nan, 1, 0], [0, 1, 0, 0]]))}, "not finite"),
        ({"lower": np.array([np.nan, 0.0])}, r"nan.*constraint 0"),
        ({"upper": np.array([1.0, np.nan])}, r"nan.*constraint 1"),
        ({"lower": np.array([np.inf, 0.0])}, r"lower.*constraint 0"),
        ({"upper": np.array([1.0, -np.inf])}, r"upper.*constraint 1"),
        ({"upper": np.array([1.0])}, "upper has 1 entries, expected 2"),
        ({"prior": np.ones(3)}, "prior has 3 entries, expected 4"),
        ({"prior": np.array([1.0, 0.0, 1.0, 1.0])}, r"prior.*cell 1"),
        ({"prior": np.array([1.0, 1.0, -1.0, 1.0])}, r"prior.*cell 2"),
        ({"prior": np.array([1.0, 1.0, 1.0, np.inf])}, r"prior.*cell 3"),
        ({"labels": ["a"]}, "labels has 1 entries, expected 2"),
        ({"family": None}, "family and block"),
        ({"block": np.array([0])}, "block has 1 entries, expected 2"),
    ],
)
def test_arrays_that_do_not_fit_are_refused_with_a_sentence_that_names_them(change: dict[str, Any], says: str) -> None:
    with pytest.raises(ValueError, match=says) as caught:
        Problem(**{**right(), **change})
    assert str(caught.value).endswith(".")


def test_arrays_that_fit_are_taken_and_left_alone() -> None:
    given_arrays = right()
    problem = Problem(**given_arrays)
    assert (problem.cell_count, problem.subject_count, problem.row_count) == (4, 2, 2)
    solve(problem)
    assert given_arrays["lower"].flags.writeable
    assert given_arrays["matrix"].nnz == 3


@pytest.mark.parametrize("start", [np.array([np.nan, 0.0]), np.array([np.inf, 0.0]), np.zeros((2, 1)), np.zeros(3)])
def test_a_start_that_is_no_list_of_multipliers_is_refused(start: Any) -> None:
    with pytest.raises(ValueError, match="start"):
        solve(Problem(**right()), start=start)


@pytest.mark.parametrize("tolerance", [0.0, -1e-9, float("nan")])
def test_a_tolerance_that_nothing_can_meet_is_refused_or_not_met(tolerance: float) -> None:
    with pytest.raises((ValueError, NotSolved), match="tolerance"):
        solve(Problem(**right()), tolerance=tolerance)


def test_all_errors_share_one_base() -> None:
    kinds: list[Callable[..., Exception]] = [Infeasible, NotSolved, TooLarge]
    assert all(issubclass(kind, MaxentError) for kind in kinds)  # type: ignore[arg-type]
