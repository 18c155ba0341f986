"""Exact worlds against plain enumeration: every count and every share, in whole numbers."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from dbaudit.maxent.errors import TooLarge
from dbaudit.maxent.problem import Problem
from dbaudit.maxent.worlds import exact_worlds

INF = math.inf
# No two sums of these coefficients lie closer than 1/30 without being equal, and none is an odd multiple of 1/60.
COEFFICIENTS = (0.0, 0.0, 1.0, 1.0, 1.0, -1.0, 2.0, -0.5, 0.1, 1 / 3)
OFF_EVERY_SUM = 1 / 60
EQUAL = 1e-9


def make(cells: list[int], persons: Sequence[float], rows: Sequence[Sequence[float]], lower: Sequence[float], upper: Sequence[float]) -> Problem:
    """cells: how many each subject has."""
    subject = np.repeat(np.arange(len(cells)), cells)
    matrix = sp.csr_array(np.array(rows, dtype=float).reshape(len(rows), len(subject)))
    return Problem(subject, np.array(persons, dtype=float), matrix, np.array(lower, dtype=float), np.array(upper, dtype=float))


def one_release(counts: list[int], persons: int) -> Problem:
    """A single subject whose whole persons have each value as often as `counts` says."""
    return make([len(counts)], [persons], np.eye(len(counts)).tolist(), counts, counts)


def components(problem: Problem) -> list[set[int]]:
    """Subjects that share a row belong together, merged one row at a time."""
    groups = [{subject} for subject in range(problem.subject_count)]
    for row in problem.matrix.toarray():
        hit = set(problem.subject[row != 0].tolist())
        joined = [group for group in groups if group & hit]
        groups = [group for group in groups if not group & hit] + ([set().union(*joined)] if joined else [])
    return groups


def enumerate_worlds(problem: Problem, subjects: set[int]) -> tuple[int, np.ndarray]:
    """One person after another takes each value in turn. Rows that touch none of these subjects are left out."""
    dense = problem.matrix.toarray()
    own = np.isin(problem.subject, list(subjects))
    rows = (dense[:, own] != 0).any(axis=1)
    options = [np.flatnonzero(problem.subject == subject) for subject in sorted(subjects) for _ in range(int(problem.person_count[subject]))]
    worlds, total = 0, np.zeros(problem.cell_count)
    for world in itertools.product(*options):
        x = np.bincount(np.array(world, dtype=int), minlength=problem.cell_count)
        sums = dense @ x
        if np.all((sums >= problem.lower - EQUAL)[rows] & (sums <= problem.upper + EQUAL)[rows]):
            worlds += 1
            total += x
    with np.errstate(invalid="ignore"):
        return worlds, np.where(own, total / worlds if worlds else math.nan, 0.0) / problem.person_count[problem.subject]


@st.composite
def small_problems(draw: st.DrawFn) -> Problem:
    """Up to 6 persons in up to 4 subjects, some lumped; rows hold in a hidden world, or miss it by a little."""
    persons = draw(st.lists(st.integers(1, 3), min_size=0, max_size=4).filter(lambda counts: sum(counts) <= 6))
    cells = [draw(st.integers(1, 3)) for _ in persons]
    hidden = np.zeros(sum(cells))
    first = np.cumsum([0, *cells])
    for subject, count in enumerate(persons):
        for _ in range(count):
            hidden[first[subject] + draw(st.integers(0, cells[subject] - 1))] += 1
    rows, lower, upper = [], [], []
    for _ in range(draw(st.integers(0, 4))):
        rows.append(draw(st.lists(st.sampled_from(COEFFICIENTS), min_size=len(hidden), max_size=len(hidden))))
        exact = float(np.dot(rows[-1], hidden)) + draw(st.sampled_from((0.0, 0.0, 0.0, OFF_EVERY_SUM, -OFF_EVERY_SUM)))
        low, high = draw(st.sampled_from(((0.0, 0.0), (0.0, 0.0), (INF, 0.0), (0.0, INF), (0.5, 0.5), (1.0, 0.0))))
        lower.append(exact - low)
        upper.append(exact + high)
    return make(cells, persons, rows, lower, upper)


@given(small_problems())
@settings(deadline=None, max_examples=300)
def test_counts_and_shares_are_those_of_enumeration(problem: Problem) -> None:
    worlds = exact_worlds(problem)
    groups = components(problem)
    assert {frozenset(np.flatnonzero(worlds.component == number).tolist()) for number in range(len(groups))} == set(map(frozenset, groups))
    for group in groups:
        count, share = enumerate_worlds(problem, group)
        assert worlds.component_world_count[worlds.component[min(group)]] == count
        own = np.isin(problem.subject, list(group))
        np.testing.assert_allclose(worlds.share[own], share[own], rtol=1e-12, atol=0, equal_nan=True)
    without_cells = np.diff(problem.matrix.indptr) == 0
    holds = np.all((problem.lower[without_cells] <= EQUAL) & (problem.upper[without_cells] >= -EQUAL))
    assert worlds.count == (math.prod(worlds.component_world_count) if holds else 0)


@given(small_problems())
@settings(deadline=None, max_examples=100)
def test_a_lumped_subject_counts_as_its_persons_one_by_one(problem: Problem) -> None:
    persons = problem.person_count.astype(int)
    cells_of = [np.flatnonzero(problem.subject == subject) for subject in range(problem.subject_count) for _ in range(persons[subject])]
    columns = np.concatenate([*cells_of, np.zeros(0, dtype=int)])
    single = make([len(own) for own in cells_of], [1.0] * len(cells_of), problem.matrix.toarray()[:, columns].tolist(), [*problem.lower], [*problem.upper])
    lumped, separate = exact_worlds(problem), exact_worlds(single)
    assert separate.count == lumped.count
    if lumped.count:
        np.testing.assert_allclose(separate.share, lumped.share[columns], rtol=1e-12)


def test_counts_are_exact_far_beyond_floating_point() -> None:
    worlds = exact_worlds(one_release([20, 25, 15], 60))
    assert worlds.count == math.factorial(60) // (math.factorial(20) * math.factorial(25) * math.factorial(15))
    np.testing.assert_array_equal(worlds.share, [20 / 60, 25 / 60, 15 / 60])


def test_unconstrained_persons_choose_freely() -> None:
    worlds = exact_worlds(make([3, 2], [5, 2], [], [], []))
    assert worlds.component_world_count == [3**5, 2**2]
    assert worlds.count == 3**5 * 2**2
    np.testing.assert_allclose(worlds.share, [1 / 3, 1 / 3, 1 / 3, 1 / 2, 1 / 2])


def test_half_a_person_satisfies_the_program_but_no_world() -> None:
    worlds = exact_worlds(make([2, 2], [1, 1], [[1, 0, 0, 0]], [0.5], [0.5]))
    assert worlds.count == 0
    assert worlds.component_world_count == [0, 2]
    np.testing.assert_array_equal(worlds.share, [math.nan, math.nan, 0.5, 0.5])


def test_three_releases_in_an_odd_cycle_have_no_world() -> None:
    # Each pair of three persons has one Flu and one HIV: everyone at 1/2 is feasible, but two of three persons are alike.
    flu = [[1, 0, 1, 0, 0, 0], [0, 0, 1, 0, 1, 0], [1, 0, 0, 0, 1, 0]]
    hiv = [[0, *row[:-1]] for row in flu]
    problem = make([2, 2, 2], [1, 1, 1], flu + hiv, [1.0] * 6, [1.0] * 6)
    np.testing.assert_array_equal(problem.matrix @ np.full(6, 0.5), np.ones(6))
    assert exact_worlds(problem).count == 0


def test_a_decimal_coefficient_adds_up() -> None:
    # In floating point ten times 0.1, added one by one, is less than 1.
    tenth = make([2] * 10, [1] * 10, [[0.1, 0] * 10], [1.0], [1.0])
    assert exact_worlds(tenth).count == 1
    third = make([2] * 6, [1] * 6, [[1 / 3, 0] * 6], [1.0], [1.0])
    assert exact_worlds(third).count == math.comb(6, 3)


def test_a_computed_bound_is_granted_its_rounding_and_nothing_more() -> None:
    # 0.3 * 10 falls on either side of 3 depending on how it is computed.
    assert 0.1 * 3 * 10 > 3.0
    assert exact_worlds(make([2], [10], [[1, 0]], [0.1 * 3 * 10], [0.1 * 3 * 10])).count == math.comb(10, 3)
    assert exact_worlds(make([2], [10], [[1, 0]], [3 + 1e-9], [INF])).count == sum(math.comb(10, k) for k in range(4, 11))


def test_a_subject_without_values_has_no_world_and_spoils_no_other() -> None:
    worlds = exact_worlds(make([2, 0], [1, 1], [], [], []))
    assert worlds.count == 0
    assert worlds.component_world_count == [2, 0]
    np.testing.assert_array_equal(worlds.share, [0.5, 0.5])


def test_a_row_without_cells_that_cannot_hold_leaves_no_world() -> None:
    assert exact_worlds(make([2], [1], [[0, 0]], [0.0], [0.0])).count == 2
    assert exact_worlds(make([2], [1], [[0, 0]], [1.0], [1.0])).count == 0


def test_no_persons_have_exactly_one_world() -> None:
    assert exact_worlds(make([], [], [], [], [])).count == 1


def test_a_prior_changes_nothing() -> None:
    plain = make([2, 2], [1, 1], [[1, 0, 1, 0]], [1.0], [1.0])
    weighted = exact_worlds(replace(plain, prior=np.array([9.0, 1.0, 1.0, 1.0])))
    assert weighted.count == 2
    np.testing.assert_array_equal(weighted.share, [0.5] * 4)


def test_sixty_persons_in_overlapping_pairs_are_within_reach() -> None:
    # A ring of 60 persons, each neighbouring pair holding one Flu and one HIV: 2 of 2^60 assignments remain.
    size = 60
    rows = np.zeros((size, 2 * size))
    for pair in range(size):
        rows[pair, [2 * pair, 2 * ((pair + 1) % size)]] = 1
    worlds = exact_worlds(make([2] * size, [1] * size, rows.tolist(), [1.0] * size, [1.0] * size), state_limit=1_000)
    assert worlds.count == 2
    np.testing.assert_array_equal(worlds.share, np.full(2 * size, 0.5))


def test_what_an_inequality_no_longer_depends_on_is_forgotten() -> None:
    # "At least one of 60": two states at a time suffice, nobody has it yet or somebody has.
    worlds = exact_worlds(make([2] * 60, [1] * 60, [[1, 0] * 60], [1.0], [INF]), state_limit=600)
    assert worlds.count == 2**60 - 1


def test_decimal_sums_meet_whatever_their_order() -> None:
    # 0.1 + 0.2 is not 0.3 in binary; told apart, sums like these would need many times as many states.
    tenths = [1, 2, 3] * 10
    worlds = exact_worlds(make([2] * 30, [1] * 30, [[c for tenth in tenths for c in (tenth / 10, 0.0)]], [-INF], [3.0]), state_limit=3_000)
    ways = [1] + [0] * sum(tenths)
    for tenth in tenths:
        ways = [stay + (ways[total - tenth] if total >= tenth else 0) for total, stay in enumerate(ways)]
    assert worlds.count == sum(ways[:31])


def test_fractions_of_persons_are_refused() -> None:
    with pytest.raises(ValueError, match=r"subject 1 has a person_count of 2\.5"):
        exact_worlds(make([2, 2], [1, 2.5], [], [], []))


@pytest.mark.parametrize("state_limit", [3, 30])
def test_a_large_component_is_refused_with_its_size_and_a_way_on(state_limit: int) -> None:
    with pytest.raises(TooLarge, match=rf"40 persons in 1 subjects and 4 cells .* {state_limit} states.*bounds\(\)"):
        exact_worlds(make([4], [40], [], [], []), state_limit=state_limit)


def test_counts_of_many_digits_are_charged_for() -> None:
    # 30,001 states fit the limit, but their counts of up to 30,000 binary digits would not fit what it stands for.
    with pytest.raises(TooLarge):
        exact_worlds(make([2], [30_000], [], [], []))
