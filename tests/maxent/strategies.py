"""Random small problems, each family with a reason to be hard. Every strategy yields a Problem unless its docstring says otherwise."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any

import numpy as np
import scipy.sparse as sp
from hypothesis import strategies as st

from dbaudit.maxent.problem import Problem
from tests.maxent import exact

INFINITY = float("inf")


@dataclass(frozen=True)
class Row:
    term: dict[int, float]  # cell -> coefficient per person
    lower: float
    upper: float
    label: str = ""
    family: int = -1
    block: int = -1


@dataclass(frozen=True)
class Draft:
    """A problem that is still easy to change: sizes instead of a subject array, rows as dictionaries."""

    size: list[int]
    person_count: list[float]
    rows: list[Row] = field(default_factory=list)
    prior: list[float] | None = None

    @property
    def cell_count(self) -> int:
        return sum(self.size)

    def build(self, with_family: bool = False, with_labels: bool = True) -> Problem:
        entry = [(k, cell, value) for k, row in enumerate(self.rows) for cell, value in row.term.items()]
        matrix = sp.csr_array(
            (np.array([v for _, _, v in entry], dtype=float), (np.array([k for k, _, _ in entry], dtype=int), np.array([c for _, c, _ in entry], dtype=int))),
            shape=(len(self.rows), self.cell_count),
        )
        return Problem(
            subject=np.repeat(np.arange(len(self.size)), self.size),
            person_count=np.array(self.person_count, dtype=float),
            matrix=matrix,
            lower=np.array([row.lower for row in self.rows], dtype=float),
            upper=np.array([row.upper for row in self.rows], dtype=float),
            prior=None if self.prior is None else np.array(self.prior, dtype=float),
            labels=[row.label or f"row {k}" for k, row in enumerate(self.rows)] if with_labels else None,
            family=np.array([row.family for row in self.rows], dtype=np.int64) if with_family else None,
            block=np.array([row.block for row in self.rows], dtype=np.int64) if with_family else None,
        )


def equation(term: dict[int, float], value: float, label: str = "", family: int = -1, block: int = -1) -> Row:
    return Row(term, value, value, label, family, block)


def at_most(term: dict[int, float], value: float, label: str = "") -> Row:
    return Row(term, -INFINITY, value, label)


def at_least(term: dict[int, float], value: float, label: str = "") -> Row:
    return Row(term, value, INFINITY, label)


def activity(term: dict[int, float], point: Sequence[Fraction]) -> Fraction:
    return sum((Fraction(value) * point[cell] for cell, value in term.items()), Fraction(0))


# ------------------------------------------------------------------------------------------------ pieces
whole_counts = st.integers(1, 5).map(float)
real_counts = st.sampled_from([0.5, 1.5, 2.25, 7 / 3, 40.0])
zero_one = st.just(1.0)
small_whole = st.sampled_from([1.0, -1.0, 2.0, -2.0, 3.0])
reals = st.sampled_from([1 / 3, 0.1, 2.5, -1.7, -1 / 3, 0.75])
scales = st.sampled_from([1.0, 1.0, 1e-3, 1e3])
prior_weights = st.sampled_from([1e-6, 1e-3, 0.1, 1.0, 1.0, 7.0, 1e3, 1e6])


@st.composite
def shapes(draw: st.DrawFn, max_subjects: int = 6, max_cells: int = 5, whole: bool = False) -> Draft:
    size = draw(st.lists(st.integers(1, max_cells), min_size=1, max_size=max_subjects))
    count = [draw(whole_counts if whole else st.one_of(whole_counts, whole_counts, real_counts)) for _ in size]
    return Draft(size, count)


@st.composite
def points(draw: st.DrawFn, draft: Draft, kind: str | None = None) -> list[Fraction]:
    """Persons per cell: inside (every cell positive), on a face (some cells empty), or a whole assignment of persons to cells."""
    kind = kind or draw(st.sampled_from(["inside", "face", "whole"]))
    point: list[Fraction] = []
    for size, count in zip(draft.size, draft.person_count, strict=True):
        if kind == "whole":
            persons = int(count) if count == int(count) and count <= 8 else 1
            chosen = draw(st.lists(st.integers(0, size - 1), min_size=persons, max_size=persons))
            point += [Fraction(count) * chosen.count(j) / persons for j in range(size)]
        else:
            least = 1 if kind == "inside" else 0
            weight = draw(st.lists(st.integers(least, 6), min_size=size, max_size=size).filter(any))
            point += [Fraction(count) * w / sum(weight) for w in weight]
    return point


@st.composite
def terms(draw: st.DrawFn, draft: Draft, coefficient: st.SearchStrategy[float] | None = None) -> dict[int, float]:
    if coefficient is None:
        coefficient = draw(st.sampled_from([zero_one, zero_one, small_whole, reals]))
    cells = draw(st.lists(st.integers(0, draft.cell_count - 1), min_size=1, max_size=min(8, draft.cell_count), unique=True))
    scale = draw(scales) if coefficient is not zero_one else 1.0
    return {cell: draw(coefficient) * scale for cell in sorted(cells)}


@st.composite
def rows_through(draw: st.DrawFn, draft: Draft, point: list[Fraction], equations_only: bool = False) -> Row:
    """A constraint that the point satisfies."""
    term = draw(terms(draft))
    value = float(activity(term, point))
    if equations_only:
        return equation(term, value)
    size = max(map(abs, term.values()))
    slack = st.sampled_from([0.0, 0.0, 0.01, 0.5, 3.0])
    kind = draw(st.sampled_from(["equation", "equation", "equation", "most", "least", "range", "free"]))
    if kind == "equation":
        return equation(term, value)
    if kind == "most":
        return at_most(term, value + size * draw(slack))
    if kind == "least":
        return at_least(term, value - size * draw(slack))
    if kind == "range":
        return Row(term, value - size * draw(slack), value + size * draw(slack))
    return Row(term, -INFINITY, INFINITY)


def scaled(row: Row, factor: float) -> Row:
    ends = (row.lower * factor, row.upper * factor)
    return replace(row, term={c: v * factor for c, v in row.term.items()}, lower=min(ends), upper=max(ends))


def added(first: Row, second: Row) -> Row:
    """What the sum of two rows may be: implied by them."""
    term = dict(first.term)
    for cell, value in second.term.items():
        term[cell] = term.get(cell, 0.0) + value
    return Row(term, first.lower + second.lower, first.upper + second.upper)


@st.composite
def redundant_rows(draw: st.DrawFn, draft: Draft) -> Row:
    """Something that the rows of the draft, or nothing at all, already imply."""
    kind = draw(st.sampled_from(["copy", "scaled copy", "sum", "whole subject", "empty", "free", "generous"]))
    if kind == "empty" or (not draft.rows and kind in ("copy", "scaled copy", "sum")):
        return equation({}, 0.0)
    if kind == "whole subject":
        u = draw(st.integers(0, len(draft.size) - 1))
        first = sum(draft.size[:u])
        return equation(dict.fromkeys(range(first, first + draft.size[u]), 1.0), draft.person_count[u])
    if kind == "free":
        return Row(draw(terms(draft)), -INFINITY, INFINITY)
    if kind == "generous":
        term = draw(terms(draft))
        most = sum(abs(v) for v in term.values()) * sum(draft.person_count) + 1
        return draw(st.sampled_from([at_most(term, most), at_least(term, -most), Row(term, -most, most)]))
    row = draw(st.sampled_from(draft.rows))
    if kind == "copy":
        return row
    if kind == "scaled copy":
        return scaled(row, draw(st.sampled_from([2.0, -1.0, 0.125, -1024.0])))
    return added(row, draw(st.sampled_from(draft.rows)))


# ------------------------------------------------------------------------------------------------ whole problems
@st.composite
def drafts(draw: st.DrawFn, max_subjects: int = 6, max_cells: int = 5, max_rows: int = 6, kind: str | None = None, priors: bool = True) -> Draft:
    """Feasible by construction: every row passes through, or keeps a distance from, one hidden point."""
    draft = draw(shapes(max_subjects, max_cells))
    point = draw(points(draft, kind))
    rows = draw(st.lists(rows_through(draft, point), min_size=0, max_size=max_rows))
    draft = replace(draft, rows=rows)
    extra = draw(st.lists(redundant_rows(draft), max_size=2))
    draft = replace(draft, rows=draw(st.permutations(rows + extra)) if extra else rows)
    if priors and draw(st.integers(0, 2)) == 0:
        draft = replace(draft, prior=[draw(prior_weights) for _ in range(draft.cell_count)])
    return draft


def feasible_problems(**shape: Any) -> st.SearchStrategy[Problem]:
    return drafts(**shape).map(lambda draft: draft.build())


@st.composite
def releases(draw: st.DrawFn, max_persons: int = 9, max_values: int = 4, max_releases: int = 3, knowledge: bool = True) -> Draft:
    """Persons with hidden values, published in buckets in one to three releases: the counts of each bucket are the rows.

    Persons with the same buckets are lumped into one subject or kept apart. Feasible, because the hidden values are a solution.
    """
    value_count = draw(st.integers(2, max_values))
    hidden = draw(st.lists(st.integers(0, value_count - 1), min_size=2, max_size=max_persons))
    release_count = draw(st.integers(1, max_releases))
    buckets = draw(st.integers(1, 3))
    place = [draw(st.lists(st.integers(-1, buckets - 1), min_size=len(hidden), max_size=len(hidden))) for _ in range(release_count)]
    return release_draft(hidden, place, value_count, lump=draw(st.booleans()), knowledge=draw(_statements(hidden)) if knowledge else [])


@st.composite
def _statements(draw: st.DrawFn, hidden: list[int]) -> list[tuple[list[int], int]]:
    """Who has the value, asked of some persons: (persons, value), answered truly by release_draft. Breaks no lumping apart by itself."""
    if draw(st.booleans()):
        return []
    persons = draw(st.lists(st.integers(0, len(hidden) - 1), min_size=1, max_size=4, unique=True))
    return [(sorted(persons), draw(st.sampled_from(hidden)))]


def release_draft(
    hidden: Sequence[int], place: Sequence[Sequence[int]], value_count: int, lump: bool = True, knowledge: Sequence[tuple[Sequence[int], int]] = ()
) -> Draft:
    """place[r][i] is the bucket of person i in release r, or -1. knowledge holds (persons, value): how many of them have it is told."""
    persons = range(len(hidden))
    told = {i: tuple(k for k, (who, _) in enumerate(knowledge) if i in who) for i in persons}
    key = {i: (tuple(where[i] for where in place), told[i], () if lump else i) for i in persons}
    groups: dict[Any, list[int]] = {}
    for i in persons:
        groups.setdefault(key[i], []).append(i)
    offered: dict[tuple[int, int], dict[int, int]] = {}
    for r, where in enumerate(place):
        for i in persons:
            if where[i] >= 0:
                bucket = offered.setdefault((r, where[i]), {})
                bucket[hidden[i]] = bucket.get(hidden[i], 0) + 1
    size: list[int] = []
    count: list[float] = []
    cell: dict[tuple[int, int], int] = {}
    for u, members in enumerate(groups.values()):
        seen = [offered[r, where[members[0]]] for r, where in enumerate(place) if where[members[0]] >= 0]
        possible = [s for s in range(value_count) if all(s in bucket for bucket in seen)]
        for s in possible:
            cell[u, s] = len(cell)
        size.append(len(possible))
        count.append(float(len(members)))
    rows = [
        equation(
            {cell[u, s]: 1.0 for u, members in enumerate(groups.values()) if place[r][members[0]] == b and (u, s) in cell},
            float(number),
            f"release {r}, bucket {b}, value {s}",
            family=r,
            block=b,
        )
        for (r, b), counts in sorted(offered.items())
        for s, number in sorted(counts.items())
    ]
    for k, (who, s) in enumerate(knowledge):
        inside = {cell[u, s]: 1.0 for u, members in enumerate(groups.values()) if members[0] in who and (u, s) in cell}
        rows.append(equation(inside, float(sum(hidden[i] == s for i in who)), f"statement {k}"))
    return Draft(size, count, rows)


@st.composite
def half_told_releases(draw: st.DrawFn) -> Draft:
    """Releases of which some counts were not published, or only as a limit, while each row still says whose bucket it speaks of."""
    draft = draw(releases())
    rows = []
    for row in draft.rows:
        told = draw(st.sampled_from(["count", "count", "count", "not", "at least", "at most"]))
        if told != "not":
            rows.append(replace(row, lower=-INFINITY if told == "at most" else row.lower, upper=INFINITY if told == "at least" else row.upper))
    return replace(draft, rows=rows)


@st.composite
def near_boundary(draw: st.DrawFn) -> tuple[Problem, float]:
    """Whole-numbered rows, and one more whose target is a hair inside the extreme that the rest allows. Yields (problem, distance).

    All numbers but the last target are small whole ones, so that exact arithmetic sees the same problem as floating point does.
    """
    draft = draw(shapes(max_subjects=3, max_cells=4, whole=True))
    point = draw(points(draft, draw(st.sampled_from(["whole", "whole", "inside"]))))
    plain = []
    for row in draw(st.lists(terms(draft, draw(st.sampled_from([zero_one, small_whole]))), max_size=3)):
        term = {c: float(np.sign(v) * min(3, max(1, round(abs(v))))) for c, v in row.items()}
        value = activity(term, point)
        if Fraction(float(value)) == value:
            plain.append(draw(st.sampled_from([equation(term, float(value)), at_most(term, float(value)), at_least(term, float(value))])))
    draft = replace(draft, rows=plain)
    aim = {c: float(draw(st.sampled_from([1, 1, 2, -1, 10]))) for c in draw(terms(draft, zero_one))}
    weight = [int(aim.get(c, 0)) for c in range(draft.cell_count)]
    top, bottom = exact.maximum_of(draft.build(), weight), -exact.maximum_of(draft.build(), [-w for w in weight])
    distance = draw(st.sampled_from([1e-6, 1e-9, 1e-12]))
    target = float(top - Fraction(distance))
    last = at_least(aim, target) if bottom == top else draw(st.sampled_from([equation(aim, target), at_least(aim, target)]))
    draft = replace(draft, rows=[*plain, last])
    if draw(st.integers(0, 3)) == 0:
        draft = replace(draft, prior=[draw(st.sampled_from([0.1, 1.0, 7.0, 1e3])) for _ in range(draft.cell_count)])
    return draft.build(), distance


# ------------------------------------------------------------------------------------------------ contradictions
@st.composite
def whole_drafts(draw: st.DrawFn, max_rows: int = 5) -> Draft:
    """Feasible, with whole numbers only: whatever one then changes by a half or more is clear to a linear program."""
    draft = draw(shapes(max_subjects=4, max_cells=4, whole=True))
    point = draw(points(draft, "whole"))
    rows = []
    for term in draw(st.lists(terms(draft, zero_one), min_size=1, max_size=max_rows)):
        value = float(activity(term, point))
        rows.append(draw(st.sampled_from([equation(term, value), equation(term, value), at_most(term, value), at_least(term, value)])))
    return replace(draft, rows=rows)


@st.composite
def perturbed(draw: st.DrawFn) -> Draft:
    """Some targets moved by a half to two persons: contradictory more often than not, but not always."""
    draft = draw(whole_drafts())
    rows = list(draft.rows)
    for k in draw(st.lists(st.integers(0, len(rows) - 1), min_size=1, max_size=2, unique=True)):
        move = draw(st.sampled_from([-2.0, -1.0, -0.5, 0.5, 1.0, 2.0]))
        rows[k] = replace(rows[k], lower=rows[k].lower + move, upper=rows[k].upper + move)
    return replace(draft, rows=rows)


@st.composite
def contradictory_pairs(draw: st.DrawFn) -> Draft:
    """The same sum told twice, with different figures and perhaps in another unit."""
    draft = draw(whole_drafts())
    row = draw(st.sampled_from(draft.rows))
    middle = row.lower if np.isfinite(row.lower) else row.upper
    gap = draw(st.sampled_from([0.25, 1.0, 3.0]))
    told = [at_most(row.term, middle - gap), at_least(row.term, middle + gap), equation(row.term, middle + gap)]
    told = [t for t in told if (t.upper < row.lower) or (t.lower > row.upper)]
    other = scaled(draw(st.sampled_from(told)), draw(st.sampled_from([1.0, 0.5, -4.0])))
    return replace(draft, rows=draw(st.permutations([*draft.rows, other])))


@st.composite
def contradictory_chains(draw: st.DrawFn) -> Draft:
    """P(first) <= P(second) <= ... <= P(last), and yet the first is larger by a margin. Persons alone, two values each."""
    length = draw(st.integers(2, 6))
    rows = [at_most({2 * k: 1.0, 2 * k + 2: -1.0}, 0.0) for k in range(length - 1)]
    rows.append(at_least({0: 1.0, 2 * (length - 1): -1.0}, draw(st.sampled_from([0.25, 0.5]))))
    generous = [at_most({0: 1.0}, 1.0), at_least({1: 1.0, 3: 1.0}, -1.0)]
    return Draft([2] * length, [1.0] * length, draw(st.permutations(rows + generous)))


@st.composite
def contradictory_releases(draw: st.DrawFn) -> Draft:
    """Two or three releases of the same persons, one count moved from a value of a bucket to another: contradictory in most cases."""
    draft = draw(releases(max_persons=7, max_releases=3, knowledge=False))
    rows = list(draft.rows)
    if not rows:
        return draft
    loser = draw(st.integers(0, len(rows) - 1))
    rest = [k for k in range(len(rows)) if k != loser and (rows[k].family, rows[k].block) == (rows[loser].family, rows[loser].block)]
    rows[loser] = replace(rows[loser], lower=rows[loser].lower - 1, upper=rows[loser].upper - 1)
    if rest:
        winner = draw(st.sampled_from(rest))
        rows[winner] = replace(rows[winner], lower=rows[winner].lower + 1, upper=rows[winner].upper + 1)
    return replace(draft, rows=rows)


@st.composite
def doubtful_problems(draw: st.DrawFn) -> Problem:
    """Problems of which most are contradictory; sometimes several rows share a label and are one statement."""
    draft = draw(st.one_of(perturbed(), contradictory_pairs(), contradictory_chains(), contradictory_releases()))
    if draw(st.booleans()) and draft.rows:
        names = draw(st.lists(st.sampled_from("ABCD"), min_size=len(draft.rows), max_size=len(draft.rows)))
        draft = replace(draft, rows=[replace(row, label=name) for row, name in zip(draft.rows, names, strict=True)])
    return draft.build(with_labels=draw(st.integers(0, 4)) > 0)
