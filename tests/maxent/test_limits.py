"""What lies at the edge of sensible input: huge counts, strange starts, odd shapes, and subjects that almost look alike."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from dbaudit.maxent import Problem, bounds, forced, solve
from dbaudit.maxent.propagate import Support
from dbaudit.maxent.reduce import reduce


def problem(subject: list[int], persons: list[float], rows: list[list[float]], target: list[float], prior: list[float] | None = None) -> Problem:
    matrix = sp.csr_array(np.array(rows, dtype=float).reshape(len(target), len(subject)))
    return Problem(np.array(subject), np.array(persons), matrix, np.array(target), np.array(target), prior=None if prior is None else np.array(prior))


@pytest.mark.parametrize("persons", [1e6, 1e7, 1e9])
def test_a_crowd_that_nothing_is_said_about_can_have_anything(persons: float) -> None:
    lower, upper = bounds(problem([0, 0, 0], [persons], [], []), np.arange(3))
    assert lower.tolist() == [0, 0, 0]
    assert upper.tolist() == [1, 1, 1]


def test_one_person_in_a_billion_is_told_apart() -> None:
    solution = solve(problem([0, 0], [1e9], [[1, 0]], [1e9 - 1]))
    assert solution.probability == pytest.approx([1 - 1e-9, 1e-9], rel=1e-6)
    assert not forced(problem([0, 0], [1e9], [[1, 0]], [1e9 - 1])).any()


def test_a_prior_whose_sum_overflows_is_only_a_prior() -> None:
    assert solve(problem([0, 0], [1.0], [], [], prior=[1e308, 1e308])).probability == pytest.approx([0.5, 0.5])


def test_a_start_beyond_all_bounds_changes_no_answer() -> None:
    two_rows = problem([0, 0, 1, 1], [1.0, 2.0], [[1, 0, 1, 0], [0, 1, 1, 0]], [1.2, 1.1])
    assert solve(two_rows, start=np.array([1.7e308, 1.7e308])).probability == pytest.approx(solve(two_rows).probability, abs=1e-9)


@pytest.mark.parametrize("what", [[], np.array([]), np.array([], dtype=int)])
def test_no_question_has_no_answer(what: object) -> None:
    lower, upper = bounds(problem([0, 0], [1.0], [], []), what)
    assert len(lower) == len(upper) == 0


NOT_A_NUMBER = sp.csr_array(np.array([[np.nan, 0.0]]))


@pytest.mark.parametrize("what", [0, np.zeros((1, 2), dtype=int), np.array([0.5]), np.array([2]), np.array([True, False]), NOT_A_NUMBER])
def test_a_question_of_the_wrong_shape_is_refused(what: object) -> None:
    with pytest.raises(ValueError, match=r"what|cell|weight"):
        bounds(problem([0, 0], [1.0], [], []), what)


def test_a_matrix_of_one_dimension_is_refused() -> None:
    with pytest.raises(ValueError, match="two dimensions"):
        Problem(np.array([0, 0]), np.array([1.0]), sp.coo_array(np.array([1.0, 0.0])), np.array([0.5]), np.array([0.5]))


def test_a_subject_with_a_further_free_value_does_not_keep_others_from_being_lumped() -> None:
    alike, odd = 200, 1
    subject = [number for number in range(alike) for _ in range(2)] + [alike] * 3
    first = [1.0, 0.0] * alike + [0.0, 1.0, 0.0]
    second = [0.0, 1.0] * alike + [0.0, 0.0, 1.0]
    crowd = problem(subject, [1.0] * (alike + odd), [first, second], [80.0, 120.5])
    support = Support(crowd)
    support.settle()
    left = reduce(crowd, support, np.ones(crowd.subject_count, dtype=bool))
    assert len(left.person_count) == 2
    assert sorted(left.person_count.tolist()) == [odd, alike]
