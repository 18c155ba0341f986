"""Every answer carries its proof, and close to a boundary it is right or it is not given."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, event, given, settings

from dbaudit.maxent import NotSolved, Problem, Solution, forced, solve
from tests.maxent import exact, oracle
from tests.maxent.conftest import many
from tests.maxent.strategies import Draft, at_least, at_most, equation, feasible_problems, near_boundary, releases
from tests.maxent.test_oracle import loaded_die

CERTIFICATE = 1e-9
NOTHING = Fraction(1, 10**11)  # persons: a cell that can hold less than this may be called empty


def is_certified(problem: Problem, solution: Solution, zero: oracle.Bools) -> None:
    """The figures of the solution hold, recomputed from its probabilities and multipliers and nothing else."""
    measured = oracle.certificate(problem, solution.probability, solution.multiplier, zero)
    assert solution.status == "solved"
    assert np.all((solution.probability >= 0) & (solution.probability <= 1 + 1e-12))
    assert measured.residual <= CERTIFICATE
    assert measured.gap <= CERTIFICATE
    assert 0 <= solution.residual <= CERTIFICATE
    assert 0 <= solution.duality_gap <= CERTIFICATE
    assert measured.stationarity <= 1e-6, "probability is proportional to prior * exp(matrix.T @ multiplier) on the cells not proven 0"
    assert solution.entropy == pytest.approx(oracle.reported_entropy(problem, solution.probability), rel=1e-9, abs=1e-9)


def multipliers_are_complementary(problem: Problem, solution: Solution) -> None:
    """Signs are exact, and an inequality with room to spare has no multiplier."""
    up, down = solution.multiplier > 0, solution.multiplier < 0
    assert np.all(np.isfinite(problem.lower[up]))
    assert np.all(np.isfinite(problem.upper[down]))
    active = problem.matrix @ (problem.person_count[problem.subject] * solution.probability)
    scale = np.maximum(1.0, oracle.row_scale(problem))
    assert np.all(solution.multiplier[up] * (active[up] - problem.lower[up]) <= 1e-6 * scale[up])
    assert np.all(-solution.multiplier[down] * (problem.upper[down] - active[down]) <= 1e-6 * scale[down])


def certificate_holds(problem: Problem) -> None:
    try:
        zero = oracle.zero_cells(problem)
    except oracle.Undecided:
        assume(False)
    solution = solve(problem)
    is_certified(problem, solution, zero)
    multipliers_are_complementary(problem, solution)


@settings(max_examples=120)
@given(feasible_problems())
def test_residual_and_gap_of_a_random_problem_recomputed_from_its_answer_are_a_billionth_at_most(problem: Problem) -> None:
    certificate_holds(problem)


@given(releases())
def test_residual_and_gap_of_random_releases_recomputed_from_their_answer_are_a_billionth_at_most(draft: Draft) -> None:
    certificate_holds(draft.build(with_family=True))


@pytest.mark.slow
@many(400)
@given(feasible_problems())
def test_residual_and_gap_of_hundreds_of_random_problems_are_a_billionth_at_most(problem: Problem) -> None:
    certificate_holds(problem)


@pytest.mark.slow
@many(250)
@given(releases(max_persons=16, max_values=5))
def test_residual_and_gap_of_hundreds_of_releases_are_a_billionth_at_most(draft: Draft) -> None:
    certificate_holds(draft.build(with_family=True))


THIRD = 1 / 3


@pytest.mark.parametrize(
    "draft",
    [
        # whole numbers, rows that repeat each other, and an inequality that is tight in every feasible point
        Draft(
            [4],
            [4.0],
            [at_least({3: 1.0}, 2.0), equation({2: 1.0}, 1.0), equation({0: 1.0, 2: 1.0, 3: 1.0}, 3.0), equation({0: 1.0, 1: 1.0, 2: 1.0, 3: 1.0}, 4.0)],
        ),
        # two rows that leave the third cell nothing
        Draft([3], [2.0], [equation({0: 1.0}, 1.0), equation({1: 1.0}, 1.0)]),
        Draft([3], [3.0], [equation({0: 1.0}, 2.0), at_least({1: 1.0}, 1.0)]),
        Draft([3], [2.0], [equation({1: 1.0}, 1.0), at_least({1: 1.0}, 1.0), equation({0: 1.0}, 1.0)]),
        Draft([3], [2.0], [equation({0: 1.0}, 1.0), equation({2: 1.0}, 1.0)], prior=[1e-6, 1e-6, 1e-6]),
        # sums within sums, and a person in two of them
        Draft([3, 4, 2], [1.0, 1.0, 2.0], [equation({0: 1.0, 1: 1.0, 7: 1.0}, 2.0), equation({0: 1.0, 1: 1.0, 2: 1.0, 8: 1.0}, 2.0)]),
        Draft([4], [2.0], [equation({0: 1.0}, 1.0), equation({0: 1.0, 1: 1.0}, 1.0), equation({0: 1.0, 1: 1.0, 2: 1.0, 3: 1.0}, 2.0)]),
        # an inequality without effect beside the equation that already says it
        Draft([3], [1.0], [equation({0: 1.0}, THIRD), at_most({0: 1.0, 1: 1.0, 2: -1.0}, -THIRD)], prior=[1e-6, 1e-6, 1e-6]),
        # priors twelve orders of magnitude apart
        Draft([3, 2], [1.0, 2.0], [equation({0: 1.0, 3: 1.0}, 1.0)], prior=[1e-12, 1.0, 1e12, 1e-9, 1.0]),
        Draft([4], [2.25], [equation({1: -1700.0, 3: 750.0}, 137.5)], prior=[1.0, 1e-6, 1.0, 1e-6]),
        Draft([2, 2], [1.0, 0.5], [equation({1: 1.0, 2: 1.0}, 0.5)], prior=[1.0, 1e-6, 1e-3, 1e-6]),
        # the same cell told three times, once as a limit that it exactly meets
        Draft(
            [4],
            [7 / 3],
            [equation({2: 1.0, 3: 1.0}, 35 / 36), equation({1: -1700.0, 3: 1000 / 3}, -44800 / 27), at_most({2: 1.0}, 0.5), at_least({2: 1.0}, 0.0)],
        ),
    ],
)
def test_small_problems_that_once_defeated_the_solver_are_certified_and_their_forced_cells_found(draft: Draft) -> None:
    problem = draft.build()
    assert forced(problem).tolist() == oracle.zero_cells(problem).tolist()
    certificate_holds(problem)


# ------------------------------------------------------------------------------------------------ close to a boundary
def is_right_or_not_given(problem: Problem, distance: float) -> bool:
    """Whether it was given. Exact arithmetic knows the largest value of each cell and the answer to forty digits."""
    try:
        truth = exact.precise(problem)
    except oracle.Undecided:
        assume(False)
    try:
        solution = solve(problem)
    except NotSolved:
        return False
    called_zero = solution.is_forced & (solution.probability == 0)
    for cell in range(problem.cell_count):
        if called_zero[cell]:
            assert truth.maximum[cell] < NOTHING, f"cell {cell} is called impossible but can hold {float(truth.maximum[cell]):.3g} persons"
        else:
            assert truth.maximum[cell] > 0, f"cell {cell} is 0 in every feasible point but is not called so"
    is_certified(problem, solution, called_zero)
    # a cell may grow like the root of the distance, so what a residual of 1e-9 allows is more than 1e-9
    assert solution.probability == pytest.approx(truth.probability, abs=1e-6 if distance >= 1e-9 else 1e-5)
    return True


@settings(max_examples=150)
@given(near_boundary())
def test_a_hair_inside_the_boundary_the_answer_is_right_or_not_given(case: tuple[Problem, float]) -> None:
    event(f"{case[1]:g} inside: {'solved' if is_right_or_not_given(*case) else 'not solved'}")


@settings(max_examples=60)
@given(near_boundary())
def test_a_hair_inside_the_boundary_forced_names_no_cell_that_can_hold_a_hundred_billionth_of_a_person(case: tuple[Problem, float]) -> None:
    maximum = exact.cell_maxima(case[0])
    try:
        found = forced(case[0])
    except NotSolved:
        return
    for cell, is_zero in enumerate(found):
        assert maximum[cell] < NOTHING if is_zero else maximum[cell] > 0


@pytest.mark.slow
@many(500)
@given(near_boundary())
def test_hundreds_of_problems_a_hair_inside_the_boundary_are_right_or_not_given(case: tuple[Problem, float]) -> None:
    event(f"{case[1]:g} inside: {'solved' if is_right_or_not_given(*case) else 'not solved'}")


@pytest.mark.parametrize("distance", [1e-3, 1e-5, 1e-6])
@pytest.mark.parametrize("row", ["equation", "at least"])
def test_a_person_almost_sure_of_a_value_keeps_the_others_in_equal_parts(distance: float, row: str) -> None:
    target = 1 - distance
    rows = [equation({0: 1.0}, target) if row == "equation" else at_least({0: 1.0}, target)]
    solution = solve(Draft([5], [1.0], rows).build())
    assert solution.probability == pytest.approx([target, *[(1 - target) / 4] * 4], abs=1e-9)
    assert not solution.is_forced.any()


@pytest.mark.parametrize("distance", [1e-9, 1e-10])
def test_a_person_within_a_billionth_of_certainty_is_not_called_certain(distance: float) -> None:
    problem = Draft([5], [1.0], [at_least({0: 1.0}, 1 - distance)]).build()
    try:
        solution = solve(problem)
    except NotSolved:
        return
    assert not solution.is_forced.any()
    assert solution.probability == pytest.approx([1 - distance, *[distance / 4] * 4], abs=1e-9)


@pytest.mark.parametrize("mean", [6 - 1e-4, 6 - 1e-6, 1 + 1e-6])
def test_a_die_of_extreme_mean_has_the_distribution_that_bisection_finds(mean: float) -> None:
    solution = solve(Draft([6], [1.0], [equation({k: k + 1.0 for k in range(6)}, mean)]).build())
    assert solution.probability == pytest.approx(loaded_die(Fraction(mean)), abs=1e-9)
    assert not solution.is_forced.any()


@pytest.mark.parametrize("mean", [6 - 1e-9, 6 - 1e-12, 1 + 1e-9])
def test_a_die_still_closer_to_certainty_is_right_or_not_given(mean: float) -> None:
    is_right_or_not_given(Draft([6], [1.0], [equation({k: k + 1.0 for k in range(6)}, mean)]).build(), min(mean - 1, 6 - mean))


@pytest.mark.parametrize("distance", [1e-6, 1e-9, 1e-12])
@pytest.mark.parametrize(
    ("term", "top"),
    [
        # two persons who almost surely both have the value, told as a sum
        ({0: 1.0, 3: 1.0}, 2.0),
        # one almost surely has it and the other almost surely not
        ({0: 1.0, 3: -1.0}, 1.0),
        # three persons
        ({0: 1.0, 3: 1.0, 6: 1.0}, 3.0),
        # a weight of a thousand beside a weight of one
        ({0: 1000.0, 3: 1.0}, 1001.0),
        # a second value that costs a tenth as much room as the third
        ({0: 10.0, 1: 9.0, 3: 10.0}, 20.0),
    ],
)
def test_sums_and_differences_a_hair_from_their_extreme_are_right_or_not_given(term: dict[int, float], top: float, distance: float) -> None:
    is_right_or_not_given(Draft([3, 3, 3], [1.0] * 3, [at_least(term, top - distance)]).build(), distance)


def test_five_persons_a_millionth_from_their_largest_difference_are_solved() -> None:
    assert is_right_or_not_given(Draft([4], [5.0], [equation({0: 1.0, 1: -1.0}, 4.999999)]).build(), 1e-6)


@pytest.mark.parametrize("prior", [None, [0.1, 0.1, 0.1, 1.0]])
@pytest.mark.parametrize("distance", [1e-3, 1e-5, 1e-6, 1e-7])
def test_a_limit_a_hair_from_its_extreme_beside_a_row_that_says_nothing_is_right_or_not_given(distance: float, prior: list[float] | None) -> None:
    # the last row leaves the last cell half of the distance; the middle one only repeats that a subject has two persons
    rows = [equation({0: 1.0}, 1.0), equation({0: 1.0, 1: 1.0}, 2.0), at_least({0: 2.0, 2: 2.0}, 6 - distance)]
    is_right_or_not_given(Draft([2, 2], [2.0, 2.0], rows, prior).build(), distance)


@pytest.mark.parametrize("distance", [1e-6, 1e-9])
def test_a_bucket_whose_second_release_leaves_a_hair_of_room_is_right_or_not_given(distance: float) -> None:
    # without the last row the first person's first cell could be anything; with it, almost nothing
    counts = [equation({0: 1.0, 3: 1.0, 6: 1.0}, 1.0), equation({1: 1.0, 4: 1.0, 7: 1.0}, 1.0), equation({2: 1.0, 3: 1.0}, 1.0)]
    rows = [*counts, at_most({0: 1.0, 4: 1.0}, distance)]
    is_right_or_not_given(Draft([3, 3, 3], [1.0] * 3, rows).build(), distance)


def test_the_figures_of_an_answer_grow_with_the_tolerance_asked_for_but_stay_true() -> None:
    problem = Draft([6, 4], [3.0, 1.0], [equation({k: k + 1.0 for k in range(10)}, 22.0), at_most({0: 1.0, 9: 1.0}, 0.3)]).build()
    rough, fine = solve(problem, tolerance=1e-3), solve(problem, tolerance=1e-9)
    measured = oracle.certificate(problem, rough.probability, rough.multiplier, np.zeros(10, dtype=bool))
    assert measured.residual <= 1e-3
    assert measured.gap <= 1e-3
    assert rough.probability == pytest.approx(fine.probability, abs=0.05)
    is_certified(problem, fine, np.zeros(10, dtype=bool))
