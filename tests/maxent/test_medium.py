"""More than a handful: thousands of small parts in one problem, and two releases of some hundred persons."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp

from dbaudit.maxent import Infeasible, NotSolved, Problem, bounds, forced, solve
from tests.maxent import oracle
from tests.maxent.strategies import Draft, Row, equation, release_draft
from tests.maxent.test_certificate import is_certified


def small_part(random: np.random.Generator) -> Draft:
    """Two to six persons in two releases of two buckets, some with a statement, equation or inequality: about ten cells."""
    persons = int(random.integers(2, 7))
    hidden = random.integers(0, 3, persons).tolist()
    told = [(sorted(random.choice(persons, 2, replace=False).tolist()), int(random.integers(3)))] if random.integers(3) == 0 else []
    place = [random.integers(-1, 2, persons).tolist() for _ in range(2)]
    draft = release_draft(hidden, place, 3, lump=bool(random.integers(2)), knowledge=told)
    rows = [replace(row, family=-1, block=-1) for row in draft.rows]
    if told and random.integers(2):
        rows[-1] = replace(rows[-1], lower=-np.inf) if random.integers(2) else replace(rows[-1], upper=np.inf)
    return replace(draft, rows=rows)


def side_by_side(parts: list[Draft]) -> Draft:
    size: list[int] = []
    count: list[float] = []
    rows: list[Row] = []
    shift = 0
    for k, part in enumerate(parts):
        rows += [replace(row, term={c + shift: v for c, v in row.term.items()}, label=f"part {k}, {row.label}") for row in part.rows]
        size += part.size
        count += part.person_count
        shift += part.cell_count
    return Draft(size, count, rows)


def test_two_thousand_parts_in_one_problem_are_each_answered_as_alone() -> None:
    random = np.random.default_rng(20)
    parts = [small_part(random) for _ in range(2000)]
    whole = side_by_side(parts).build()
    solution = solve(whole)
    assert solution.status == "solved"
    assert solution.component_count >= 2000
    start = np.concatenate([[0], np.cumsum([part.cell_count for part in parts])])
    for k in range(0, 2000, 50):
        alone = solve(parts[k].build())
        mine = slice(start[k], start[k + 1])
        assert solution.probability[mine] == pytest.approx(alone.probability, abs=1e-8)
        assert solution.is_forced[mine].tolist() == alone.is_forced.tolist()
    zero = oracle.zero_cells(whole)
    assert forced(whole).tolist() == zero.tolist()
    is_certified(whole, solution, zero)


def test_one_contradictory_part_among_hundreds_is_the_one_that_is_named() -> None:
    random = np.random.default_rng(21)
    parts = [small_part(random) for _ in range(300)]
    term = dict.fromkeys(range(parts[123].size[0]), 1.0)
    parts[123] = replace(parts[123], rows=[*parts[123].rows, equation(term, parts[123].person_count[0] + 1, "one too many")])
    with pytest.raises(Infeasible) as caught:
        solve(side_by_side(parts).build())
    assert caught.value.labels == ["part 123, one too many"]


def two_releases(persons: int, bucket: int, values: int, seed: int) -> Problem:
    """Every release draws its buckets anew, and a sixth of the persons appear in one release only."""
    random = np.random.default_rng(seed)
    hidden = np.minimum(random.geometric(0.35, persons) - 1, values - 1)
    place = []
    for r in range(2):
        where = np.full(persons, -1)
        present = np.flatnonzero(random.random(persons) > 1 / 6) if r else np.arange(persons)
        where[present] = random.permutation(len(present)) // bucket
        place.append(where.tolist())
    return release_draft(hidden.tolist(), place, values).build(with_family=True)


@pytest.mark.parametrize(("bucket", "values"), [(5, 6), (3, 4)])
def test_two_releases_of_six_hundred_persons_are_certified_and_their_forced_cells_are_those_of_a_linear_program(bucket: int, values: int) -> None:
    problem = two_releases(600, bucket, values, seed=bucket)
    zero = oracle.zero_cells(problem)
    assert forced(problem).tolist() == zero.tolist()
    solution = solve(problem)
    assert solution.is_forced.tolist() == oracle.decided_cells(problem, zero).tolist()
    is_certified(problem, solution, zero)


@pytest.mark.parametrize("seed", range(6))
def test_half_told_releases_of_a_hundred_persons_are_certified_and_their_forced_cells_are_those_of_a_linear_program(seed: int) -> None:
    whole = two_releases(100, 4, 4, seed)
    told = np.random.default_rng(seed).choice(["count", "count", "at least", "at most", "not"], whole.row_count)
    kept = np.flatnonzero(told != "not")
    assert whole.family is not None and whole.block is not None
    problem = Problem(
        whole.subject,
        whole.person_count,
        sp.csr_array(whole.matrix[kept]),
        np.where(told == "at most", -np.inf, whole.lower)[kept],
        np.where(told == "at least", np.inf, whole.upper)[kept],
        family=whole.family[kept],
        block=whole.block[kept],
    )
    zero = oracle.zero_cells(problem)
    assert forced(problem).tolist() == zero.tolist()
    is_certified(problem, solve(problem), zero)


def test_two_releases_with_statements_about_persons_are_certified() -> None:
    problem = two_releases(300, 4, 5, seed=9)
    base = solve(problem).probability
    random = np.random.default_rng(1)
    # statements that bind without deciding: a fifth more, or less, than what the releases alone suggest
    chosen = random.choice(np.flatnonzero((base > 0.2) & (base < 0.6)), 12, replace=False)
    lean = sorted((int(c) for c in chosen), key=lambda c: int(problem.subject[c]))
    cells = [c for k, c in enumerate(lean) if k == 0 or problem.subject[c] != problem.subject[lean[k - 1]]]
    low, high = bounds(problem, np.array(cells))
    term = sp.csr_array((np.ones(len(cells)), (np.zeros(len(cells), dtype=int), cells)), shape=(1, problem.cell_count))
    persons = problem.person_count[problem.subject[cells]]
    target = float(persons @ base[cells]) * 0.95
    assert float(persons @ low) < target < float(persons @ high)
    told = Problem(
        problem.subject,
        problem.person_count,
        sp.csr_array(sp.vstack([problem.matrix, term])),
        np.r_[problem.lower, -np.inf],
        np.r_[problem.upper, target],
        labels=[*(problem.labels or []), "fewer of them than one would think"],
        family=np.r_[problem.family, -1],
        block=np.r_[problem.block, -1],
    )
    solution = solve(told)
    is_certified(told, solution, oracle.zero_cells(told))
    assert solution.multiplier[-1] < 0


def crowd(random: np.random.Generator, kind: str) -> Problem:
    """Five to forty subjects and about as many rows through a hidden point: equations, limits and ranges with mixed coefficients."""
    subjects = int(random.integers(5, 40))
    size = random.integers(1, 6, subjects)
    subject = np.repeat(np.arange(subjects), size)
    cells = len(subject)
    count = random.choice([1.0, 1e3, 1e6] if kind == "very unequal numbers" else [1.0, 1.0, 2.0, 3.0], subjects)
    weight = random.integers(int(kind != "a face"), 5, cells).astype(float)
    if kind == "whole persons":
        weight[:] = 0
    first = np.concatenate([[0], np.cumsum(size)[:-1]])
    weight[first + random.integers(0, size)] += 1  # everybody has at least one value
    x = count[subject] * weight / np.bincount(subject, weight)[subject]
    rows = int(random.integers(2, subjects + 5))
    matrix = np.zeros((rows, cells))
    lower, upper = np.full(rows, -np.inf), np.full(rows, np.inf)
    for r in range(rows):
        chosen = random.choice(cells, min(int(random.integers(1, 10)), cells), replace=False)
        matrix[r, chosen] = 1.0 if random.random() < 0.6 else random.choice([1.0, 2.0, -1.0, -2.0, 3.0, 0.5], len(chosen))
        if kind == "nearly parallel rows" and r and random.random() < 0.3:
            matrix[r] = matrix[r - 1] + 1e-4 * (random.random(cells) < 0.1)
        value = float(matrix[r] @ x)
        room = float(random.choice([0.0, 0.0, 0.1, 1.0])) * max(1.0, 0.1 * abs(value))
        told = random.random()
        if told < 0.6:
            lower[r] = upper[r] = value
        elif told < 0.9:
            lower[r], upper[r] = (value - room, np.inf) if told < 0.75 else (-np.inf, value + room)
        else:
            lower[r], upper[r] = value - room, value + room
    prior = None if random.random() < 0.7 else np.array(10.0 ** random.integers(-4, 5, cells), dtype=np.float64)
    return Problem(subject, count, sp.csr_array(matrix), lower, upper, prior)


@pytest.mark.parametrize("kind", ["inside", "a face", "whole persons"])
def test_crowds_of_some_hundred_cells_are_certified_and_their_forced_cells_are_those_of_a_linear_program(kind: str) -> None:
    random = np.random.default_rng(len(kind))
    for _ in range(40):
        problem = crowd(random, kind)
        zero = oracle.zero_cells(problem)
        solution = solve(problem)
        assert solution.is_forced.tolist() == oracle.decided_cells(problem, zero).tolist()
        is_certified(problem, solution, zero)


@pytest.mark.parametrize("kind", ["very unequal numbers", "nearly parallel rows"])
def test_ill_conditioned_crowds_are_certified_or_not_given_and_three_in_four_are_given(kind: str) -> None:
    random = np.random.default_rng(len(kind))
    given = 0
    for _ in range(40):
        problem = crowd(random, kind)
        try:
            zero = oracle.zero_cells(problem)
            solution = solve(problem)
        except (NotSolved, oracle.Undecided):
            continue
        given += 1
        assert solution.is_forced.tolist() == oracle.decided_cells(problem, zero).tolist()
        is_certified(problem, solution, zero)
    assert given >= 30
