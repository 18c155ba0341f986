"""What must not matter does not: order, names, units, lumping, hints; and what must matter does so in one direction only."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dbaudit.maxent import Infeasible, NotSolved, Problem, Solution, solve
from tests.maxent.conftest import many
from tests.maxent.strategies import Draft, Row, added, drafts, equation, half_told_releases, points, redundant_rows, releases, rows_through, scaled, shapes

PROBABILITY, ENTROPY = 1e-6, 1e-8  # far above what a certified answer is off by, far below any real difference


def outcome(problem: Problem) -> Solution | str:
    try:
        return solve(problem)
    except (Infeasible, NotSolved) as error:
        return type(error).__name__


def same(first: Solution | str, second: Solution | str, order: Sequence[int] | None = None) -> None:
    """The second answer is the first, its cells in another order (order[k]: which cell of the first is cell k of the second)."""
    if isinstance(first, str) or isinstance(second, str):
        assert first == second
        return
    position: Any = np.arange(len(first.probability)) if order is None else np.array(order, dtype=np.int64)
    assert second.status == first.status
    assert second.probability == pytest.approx(first.probability[position], abs=PROBABILITY)
    assert second.is_forced.tolist() == first.is_forced[position].tolist()
    assert second.entropy == pytest.approx(first.entropy, rel=ENTROPY, abs=ENTROPY)


any_drafts = st.one_of(drafts(), releases())


@settings(max_examples=40)
@given(any_drafts, st.data())
def test_the_order_of_rows_and_their_names_do_not_matter(draft: Draft, data: st.DataObject) -> None:
    order = data.draw(st.permutations(range(len(draft.rows))))
    other = replace(draft, rows=[replace(draft.rows[k], label=f"renamed {n}") for n, k in enumerate(order)])
    same(outcome(draft.build()), outcome(other.build()))


def moved(row: Row, new_place: dict[int, int]) -> Row:
    return replace(row, term={new_place[cell]: value for cell, value in row.term.items()})


def rearranged(draft: Draft, subjects: Sequence[int], within: Sequence[Sequence[int]]) -> tuple[Draft, list[int]]:
    """Subjects in another order, and the cells of each in another order; with the old number of each new cell."""
    first = np.concatenate([[0], np.cumsum(draft.size)]).tolist()
    old = [first[u] + j for u in subjects for j in within[u]]
    place = {cell: k for k, cell in enumerate(old)}
    prior = None if draft.prior is None else [draft.prior[cell] for cell in old]
    rows = [moved(row, place) for row in draft.rows]
    return Draft([draft.size[u] for u in subjects], [draft.person_count[u] for u in subjects], rows, prior), old


@settings(max_examples=40)
@given(any_drafts, st.data())
def test_the_order_of_subjects_and_of_cells_within_a_subject_does_not_matter(draft: Draft, data: st.DataObject) -> None:
    subjects = data.draw(st.permutations(range(len(draft.size))))
    within = [data.draw(st.permutations(range(size))) for size in draft.size]
    other, old = rearranged(draft, subjects, within)
    same(outcome(draft.build()), outcome(other.build()), old)


@settings(max_examples=40)
@given(any_drafts, st.data())
def test_the_unit_in_which_a_row_is_told_does_not_matter(draft: Draft, data: st.DataObject) -> None:
    factor = st.sampled_from([2.0, -1.0, 0.125, 1024.0, -0.0078125, 1e3, 1e-2])
    other = replace(draft, rows=[scaled(row, data.draw(factor)) for row in draft.rows])
    same(outcome(draft.build()), outcome(other.build()))


@settings(max_examples=40)
@given(any_drafts, st.data())
def test_splitting_a_subject_into_two_equal_halves_does_not_matter(draft: Draft, data: st.DataObject) -> None:
    u = data.draw(st.integers(0, len(draft.size) - 1))
    first, last = sum(draft.size[:u]), sum(draft.size[: u + 1])
    size = draft.size[u]
    old = [*range(last), *range(first, draft.cell_count)]
    rows = [
        replace(row, term={c if c < last else c + size: v for c, v in row.term.items()} | {c + size: v for c, v in row.term.items() if first <= c < last})
        for row in draft.rows
    ]
    count = draft.person_count
    other = Draft(
        [*draft.size[: u + 1], *draft.size[u:]],
        [*count[:u], count[u] / 2, count[u] / 2, *count[u + 1 :]],
        rows,
        None if draft.prior is None else [draft.prior[c] for c in old],
    )
    same(outcome(draft.build()), outcome(other.build()), old)


@settings(max_examples=40)
@given(any_drafts, st.data())
def test_a_redundant_row_changes_nothing(draft: Draft, data: st.DataObject) -> None:
    other = replace(draft, rows=[*draft.rows, data.draw(redundant_rows(draft))])
    same(outcome(draft.build()), outcome(other.build()))


@settings(max_examples=30)
@given(releases(max_releases=2, knowledge=False).filter(lambda draft: len(draft.rows) > 1))
def test_the_sum_of_all_rows_of_a_release_changes_nothing(draft: Draft) -> None:
    total = draft.rows[0]
    for row in draft.rows[1:]:
        total = added(total, row)
    same(outcome(draft.build()), outcome(replace(draft, rows=[*draft.rows, replace(total, label="everyone")]).build()))


@settings(max_examples=60)
@given(releases())
def test_naming_releases_and_buckets_changes_no_answer(draft: Draft) -> None:
    same(outcome(draft.build(with_family=False)), outcome(draft.build(with_family=True)))


@settings(max_examples=60)
@given(releases(), st.data())
def test_naming_only_some_releases_changes_no_answer(draft: Draft, data: st.DataObject) -> None:
    hushed = data.draw(st.sampled_from(range(3)))
    other = replace(draft, rows=[replace(row, family=-1, block=-1) if row.family == hushed else row for row in draft.rows])
    same(outcome(draft.build()), outcome(other.build(with_family=True)))


@settings(max_examples=150)
@given(half_told_releases())
def test_naming_buckets_of_which_not_every_count_is_told_changes_no_answer(draft: Draft) -> None:
    same(outcome(draft.build(with_family=False)), outcome(draft.build(with_family=True)))


@pytest.mark.slow
@many(250)
@given(half_told_releases())
def test_naming_buckets_of_hundreds_of_half_told_releases_changes_no_answer(draft: Draft) -> None:
    same(outcome(draft.build(with_family=False)), outcome(draft.build(with_family=True)))


@settings(max_examples=60)
@given(any_drafts, st.data())
def test_naming_rows_as_buckets_that_are_none_changes_no_answer(draft: Draft, data: st.DataObject) -> None:
    names = data.draw(st.lists(st.tuples(st.integers(-1, 1), st.integers(0, 1)), min_size=len(draft.rows), max_size=len(draft.rows)))
    other = replace(draft, rows=[replace(row, family=f, block=b) for row, (f, b) in zip(draft.rows, names, strict=True)])
    same(outcome(draft.build()), outcome(other.build(with_family=True)))


def test_a_cell_that_two_half_told_buckets_empty_together_is_found_with_their_names_too() -> None:
    # Two of A, B, C, D, E have the value by the first release; the second tells the four without D in full, and one of them has it. So D has it.
    rows = [
        equation({1: 1.0, 3: 1.0, 5: 1.0, 7: 1.0, 9: 1.0}, 2.0, "first release, the value", family=0, block=0),
        equation({0: 1.0, 2: 1.0, 4: 1.0, 8: 1.0}, 3.0, "second release, not the value", family=1, block=0),
        equation({1: 1.0, 3: 1.0, 5: 1.0, 9: 1.0}, 1.0, "second release, the value", family=1, block=0),
    ]
    solution = solve(Draft([2] * 5, [1.0] * 5, rows).build(with_family=True))
    assert solution.is_forced.tolist() == [False] * 6 + [True, True] + [False] * 2
    assert solution.probability[6] == 0


@settings(max_examples=60)
@given(releases(knowledge=False))
def test_lumping_persons_alike_changes_no_probability_and_no_entropy(draft: Draft) -> None:
    apart: list[int] = []
    old: list[int] = []
    first = np.concatenate([[0], np.cumsum(draft.size)]).tolist()
    twin: dict[int, list[int]] = {}
    for u, count in enumerate(draft.person_count):
        for _ in range(int(count)):
            for cell in range(first[u], first[u + 1]):
                twin.setdefault(cell, []).append(len(old))
                old.append(cell)
            apart.append(draft.size[u])
    rows = [replace(row, term={k: value for cell, value in row.term.items() for k in twin[cell]}) for row in draft.rows]
    same(outcome(draft.build(with_family=True)), outcome(Draft(apart, [1.0] * len(apart), rows).build(with_family=True)), old)


@st.composite
def nested(draw: st.DrawFn) -> tuple[Draft, Draft]:
    """A problem, and the same with one more constraint; both hold in the same hidden point."""
    draft = draw(shapes())
    point = draw(points(draft))
    rows = draw(st.lists(rows_through(draft, point), min_size=1, max_size=5))
    prior = draw(st.none() | st.lists(st.sampled_from([0.01, 1.0, 30.0]), min_size=draft.cell_count, max_size=draft.cell_count))
    return replace(draft, rows=rows[:-1], prior=prior), replace(draft, rows=rows, prior=prior)


@given(nested())
def test_one_more_constraint_never_adds_entropy_nor_brings_one_closer_to_the_prior(pair: tuple[Draft, Draft]) -> None:
    loose, tight = solve(pair[0].build()), solve(pair[1].build())
    more_uncertain = loose.entropy - tight.entropy if pair[0].prior is None else tight.entropy - loose.entropy
    assert more_uncertain >= -1e-8 * max(1.0, abs(loose.entropy))
    assert np.all(tight.is_forced[loose.is_forced])


@settings(max_examples=20)
@given(any_drafts)
def test_solving_twice_gives_the_same_bits_and_leaves_the_problem_alone(draft: Draft) -> None:
    problem = draft.build(with_family=True)
    before = [problem.matrix.toarray(), problem.lower.copy(), problem.upper.copy(), problem.person_count.copy()]
    first, second = solve(problem), solve(problem)
    assert first.probability.tobytes() == second.probability.tobytes()
    assert first.multiplier.tobytes() == second.multiplier.tobytes()
    after = [problem.matrix.toarray(), problem.lower, problem.upper, problem.person_count]
    assert all(np.array_equal(a, b) for a, b in zip(before, after, strict=True))
