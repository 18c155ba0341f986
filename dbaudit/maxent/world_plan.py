"""What the counting of worlds needs to know beforehand: the constraints in whole numbers, an order of the cells, and what each cell can change."""

from __future__ import annotations

import math
from collections import Counter
from fractions import Fraction
from itertools import accumulate, islice
from typing import NamedTuple

import numpy as np

from . import tolerance
from .arrays import largest_coefficients, row_of_entry
from .problem import Problem

# Among how many subjects the next one is chosen: it keeps the ordering's cost linear, and more was no better on random pairs of releases.
ORDER_WINDOW = 64


class WholeRows(NamedTuple):
    """The constraints in whole numbers: sums are exact in whatever order they are formed, so equal sums meet in one state.

    of_cell  [cells] row: coefficient
    bounds   [constraints] lower and upper; an infinite one is absent
    """

    of_cell: list[dict[int, int]]
    bounds: list[tuple[float, float]]


class Touched(NamedTuple):
    """What deciding one cell means for one row of its subject.

    Least and greatest are what can still be added: by each undecided person of this subject, and later by all other subjects.
    """

    slot: int
    coefficient: int
    least: int
    greatest: int
    later_least: int
    later_greatest: int
    lower: float
    upper: float


class Step(NamedTuple):
    """One cell's turn. After a subject's last cell the next subject comes up: rows that have ended leave, new ones begin."""

    cell: int
    touched: list[Touched]
    is_last: bool
    next_persons: int
    kept_slots: list[int]
    new_rows: int


def in_whole_numbers(problem: Problem) -> WholeRows:
    """Read each coefficient as the decimal fraction that it prints as, and multiply each row by its common denominator."""
    matrix = problem.matrix
    distinct, which = np.unique(matrix.data, return_inverse=True)
    fractions = [Fraction(repr(coefficient)) for coefficient in distinct.tolist()]
    entries = list(zip(row_of_entry(matrix).tolist(), matrix.indices.tolist(), which.tolist(), strict=True))
    unit = [1] * problem.row_count
    for row, _, number in entries:
        unit[row] = math.lcm(unit[row], fractions[number].denominator)
    of_cell: list[dict[int, int]] = [{} for _ in range(problem.cell_count)]
    for row, cell, number in entries:
        of_cell[cell][row] = int(fractions[number] * unit[row])
    size = largest_coefficients(matrix)
    lower = (problem.lower - tolerance.slack(problem.lower, size)).tolist()
    upper = (problem.upper + tolerance.slack(problem.upper, size)).tolist()
    bounds = [
        (math.ceil(Fraction(low) * times) if math.isfinite(low) else low, math.floor(Fraction(high) * times) if math.isfinite(high) else high)
        for low, high, times in zip(lower, upper, unit, strict=True)
    ]
    return WholeRows(of_cell, bounds)


def in_good_order(problem: Problem, rows: WholeRows, subjects: list[int]) -> list[int]:
    """The subjects so that few rows are open at a time: each open row is another sum that tells states apart.

    Greedy: next comes whoever ends most rows and begins fewest, among those whose turn is near.
    """
    rows_of = {subject: set().union(*(rows.of_cell[cell] for cell in _cells(problem, subject))) for subject in subjects}
    still_to_touch = Counter(row for touched in rows_of.values() for row in touched)
    begun: set[int] = set()
    waiting = iter(subjects)
    window = list(islice(waiting, ORDER_WINDOW))
    order = []
    while window:
        chosen = min(window, key=lambda subject: sum((row not in begun) - (still_to_touch[row] == 1) for row in rows_of[subject]))
        window.remove(chosen)
        window.extend(islice(waiting, 1))
        order.append(chosen)
        begun |= rows_of[chosen]
        still_to_touch.subtract(rows_of[chosen])
    return order


def plan(problem: Problem, rows: WholeRows, subjects: list[int]) -> list[Step]:
    """The steps of one component, whose subjects come in this order and have at least one cell each."""
    coefficients = [[rows.of_cell[cell] for cell in _cells(problem, subject)] for subject in subjects]
    touched_rows = [sorted(set().union(*own)) for own in coefficients]
    persons = [int(problem.person_count[subject]) for subject in subjects]
    last_turn = {row: turn for turn, own_rows in enumerate(touched_rows) for row in own_rows}
    later = _later_extremes(coefficients, touched_rows, persons)
    steps: list[Step] = []
    open_rows = touched_rows[0]
    for turn, subject in enumerate(subjects):
        slot_of = {row: slot for slot, row in enumerate(open_rows)}
        touched_by_cell: list[list[Touched]] = [[] for _ in coefficients[turn]]
        for row in touched_rows[turn]:
            per_person = [of_cell.get(row, 0) for of_cell in coefficients[turn]]
            for touched, coefficient, (least, greatest) in zip(touched_by_cell, per_person, _extremes_after(per_person), strict=True):
                # Once a row's last cell in this subject is decided, the others leave it alone.
                if coefficient or least or greatest:
                    touched.append(Touched(slot_of[row], coefficient, least, greatest, *later[turn][row], *rows.bounds[row]))
        is_end = turn + 1 == len(subjects)
        kept_slots = [slot for slot, row in enumerate(open_rows) if last_turn[row] > turn]
        begun = [] if is_end else [row for row in touched_rows[turn + 1] if row not in slot_of]
        next_persons = 0 if is_end else persons[turn + 1]
        cells = _cells(problem, subject)
        steps += [Step(cell, touched, cell == cells[-1], next_persons, kept_slots, len(begun)) for cell, touched in zip(cells, touched_by_cell, strict=True)]
        open_rows = [open_rows[slot] for slot in kept_slots] + begun
    return steps


def _extremes_after(per_person: list[int]) -> list[tuple[int, int]]:
    """[cells] the least and the greatest coefficient among the cells that follow; 0 after the last, where nobody is left."""
    backwards = per_person[:0:-1]
    return [*zip(list(accumulate(backwards, min))[::-1], list(accumulate(backwards, max))[::-1], strict=True), (0, 0)]


def _later_extremes(coefficients: list[list[dict[int, int]]], touched_rows: list[list[int]], persons: list[int]) -> list[dict[int, tuple[int, int]]]:
    """[turns] row: the least and the greatest that all later subjects together can add to it."""
    later: list[dict[int, tuple[int, int]]] = []
    to_come = dict.fromkeys((row for own_rows in touched_rows for row in own_rows), (0, 0))
    for own, own_rows, count in zip(reversed(coefficients), reversed(touched_rows), reversed(persons), strict=True):
        later.append({row: to_come[row] for row in own_rows})
        for row in own_rows:
            per_person = [of_cell.get(row, 0) for of_cell in own]
            least, greatest = to_come[row]
            to_come[row] = (least + count * min(per_person), greatest + count * max(per_person))
    return later[::-1]


def _cells(problem: Problem, subject: int) -> range:
    return range(int(problem.first_cell[subject]), int(problem.first_cell[subject + 1]))
