"""Stages 1 and 2: impossible cells that follow from one constraint, or from the counts of one bucket.

Both are filters: sound, exact for whole numbers and cheap, but not complete. What follows only from several
constraints together is found later, beside Newton's method (`proof`).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp

from . import tolerance
from .arrays import distinct, entries_of, ranges, smallest_coefficients
from .problem import Bools, Floats, Ints, Problem

# A bucket with more distinct values than this is not searched for tight sets of values: there are 2^values of them.
TIGHT_SET_VALUES = 10
# With fewer than this, every tight set is one value or all but one: single rows at an extreme, which propagation has seen.
LEAST_TIGHT_SET_VALUES = 4
# How many (bucket, set of values) pairs are looked at in one sweep: some tens of megabytes.
TIGHT_SET_BATCH = 1 << 22


# How many entries of the matrix are looked at in one sweep.
PORTION = 1 << 17


class Clash(Exception):
    """A contradiction was met. `rows` are where it showed, not yet a smallest explanation."""

    def __init__(self, rows: Ints) -> None:
        self.rows = rows
        super().__init__("the constraints contradict each other")


@dataclass(frozen=True, eq=False)
class _Segments:
    low: Floats  # [rows] least activity
    high: Floats  # [rows] greatest activity
    cell: Ints  # [entries]
    coefficient: Floats  # [entries]
    segment: Ints  # [entries]
    row: Ints  # [segments] position among the rows
    owner: Ints  # [segments] the subject
    least: Floats  # [segments]
    greatest: Floats  # [segments]
    elsewhere: Bools  # [segments] the subject has live cells outside the row, where the coefficient is 0


class Support:
    """Which cells may still be non-zero. Cells only ever leave, each with a proof."""

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        self.alive: Bools = np.ones(problem.cell_count, dtype=bool)
        self.live_count: Ints = np.diff(problem.first_cell)
        self.by_cell: sp.csr_array = problem.matrix.T.tocsr()
        self._size = smallest_coefficients(problem.matrix)
        self._families = [_Family(problem, self.by_cell, number) for number in _families(problem)]
        self._kept = np.zeros(problem.cell_count, dtype=np.int64)
        self._forcing = np.zeros(problem.subject_count, dtype=np.int64)

    def settle(self, changed: Ints | None = None) -> None:
        """Propagate until nothing changes: after construction, or after the cells of the `changed` subjects were removed."""
        rows = np.flatnonzero(np.diff(self.problem.matrix.indptr)) if changed is None else self._rows_of(changed)
        todo = [np.ones(family.block_count, dtype=bool) if changed is None else family.blocks_of(changed) for family in self._families]
        while True:
            while len(rows):
                changed = distinct(np.concatenate([self._tighten(part) for part in self._portions(rows)]), self.problem.subject_count)
                rows = self._rows_of(changed)
                for family, dirty in zip(self._families, todo, strict=True):
                    dirty |= family.blocks_of(changed)
            for family, dirty in zip(self._families, todo, strict=True):
                if dirty.any():
                    rows = self._rows_of(self._tight_sets(family, np.flatnonzero(dirty)))
                    dirty[:] = False
                    if len(rows):
                        break
            if not len(rows):
                return

    def remove(self, cells: Ints) -> Ints:
        """Take cells out; returns the subjects that changed. Raises Clash if a subject has none left."""
        cells = distinct(cells[self.alive[cells]], self.problem.cell_count)
        self.alive[cells] = False
        owner = self.problem.subject[cells]  # sorted, as the cells are
        changed = owner[np.flatnonzero(np.diff(owner, prepend=-1))]
        np.subtract.at(self.live_count, owner, 1)
        empty = changed[self.live_count[changed] == 0]
        if len(empty):
            raise Clash(self._rows_of(empty))
        return changed

    def activity_range(self, rows: Ints) -> tuple[Floats, Floats]:
        """Least and greatest value of some rows over all distributions on the live cells, each row for itself."""
        low, high = zip(*((cut.low, cut.high) for cut in map(self._segments, self._portions(rows))), strict=True)
        return np.concatenate(low), np.concatenate(high)

    def _portions(self, rows: Ints) -> list[Ints]:
        """The rows in portions of a bounded number of entries, so that a problem with millions of them needs no more memory at a time."""
        entries = np.cumsum(np.diff(self.problem.matrix.indptr)[rows])
        cuts = np.searchsorted(entries, np.arange(PORTION, entries[-1], PORTION))
        return np.split(rows, np.unique(cuts)) if len(cuts) else [rows]

    def _rows_of(self, subjects: Ints) -> Ints:
        first = self.problem.first_cell
        cells = ranges(first[subjects], first[subjects + 1] - first[subjects])
        entry, _ = entries_of(self.by_cell, cells)
        return distinct(self.by_cell.indices[entry], self.problem.row_count)

    def _segments(self, rows: Ints) -> _Segments:
        """Some rows' live entries, cut into segments of one subject: persons sit at a segment's least or greatest coefficient."""
        problem = self.problem
        entry, row = entries_of(problem.matrix, rows)
        cell = problem.matrix.indices[entry]
        live = self.alive[cell]
        cell, row, coefficient = cell[live], row[live], problem.matrix.data[entry[live]]
        subject = problem.subject[cell]
        begins = np.flatnonzero((np.diff(subject, prepend=-1) != 0) | (np.diff(row, prepend=-1) != 0))
        segment = np.repeat(np.arange(len(begins)), np.diff(begins, append=len(cell)))
        least = np.minimum.reduceat(coefficient, begins) if len(begins) else np.zeros(0)
        greatest = np.maximum.reduceat(coefficient, begins) if len(begins) else np.zeros(0)
        owner = subject[begins]
        elsewhere = np.bincount(segment, minlength=len(begins)) < self.live_count[owner]
        least = np.where(elsewhere, np.minimum(least, 0.0), least)
        greatest = np.where(elsewhere, np.maximum(greatest, 0.0), greatest)
        persons = problem.person_count[owner]
        low = np.bincount(row[begins], persons * least, len(rows)).astype(np.float64)
        high = np.bincount(row[begins], persons * greatest, len(rows)).astype(np.float64)
        return _Segments(low, high, cell, coefficient, segment, row[begins], owner, least, greatest, elsewhere)

    def _tighten(self, rows: Ints) -> Ints:
        """Where a row's bound equals its least or greatest activity, every person must sit at that extreme."""
        cut = self._segments(rows)
        lower, upper, size = self.problem.lower[rows], self.problem.upper[rows], self._size[rows]
        rounding = tolerance.ROUNDING * np.maximum(np.abs(cut.low), np.abs(cut.high))
        over, under = tolerance.slack(upper, size) + rounding, tolerance.slack(lower, size) + rounding
        wrong = (cut.low > upper + over) | (cut.high < lower - under)
        if wrong.any():
            raise Clash(rows[wrong])
        varies = cut.high > cut.low
        dead = []
        for extreme, tight in ((cut.least, (upper <= cut.low + over) & varies), (cut.greatest, (lower >= cut.high - under) & varies)):
            if tight.any():
                forcing = tight[cut.row] & (cut.least < cut.greatest)
                # The extreme 0 may belong to cells outside the row: then only the row's own other cells go.
                outside = forcing & cut.elsewhere & (extreme == 0.0)
                at_extreme = cut.coefficient == extreme[cut.segment]
                dead.append(cut.cell[outside[cut.segment] & ~at_extreme])
                inside = forcing & ~outside
                dead.append(self._not_kept(cut.owner[inside], cut.cell[inside[cut.segment] & at_extreme]))
        return self.remove(np.concatenate(dead)) if dead else np.zeros(0, dtype=np.int64)

    def _not_kept(self, owner: Ints, kept: Ints) -> Ints:
        """The live cells of the owners (one entry per demand on a subject) that not every one of its demands keeps."""
        if not len(owner):
            return owner
        np.add.at(self._forcing, owner, 1)
        np.add.at(self._kept, kept, 1)
        subjects = distinct(owner, self.problem.subject_count)
        first = self.problem.first_cell
        cells = ranges(first[subjects], first[subjects + 1] - first[subjects])
        cells = cells[self.alive[cells]]
        lost = cells[self._kept[cells] < self._forcing[self.problem.subject[cells]]]
        self._forcing[owner] = 0
        self._kept[kept] = 0
        return lost

    def _tight_sets(self, family: _Family, blocks: Ints) -> Ints:
        """Hall's condition, bucket by bucket: persons who together can only have as many values as they are use those up.

        For a set T of a bucket's values, those who can have nothing else may not outnumber T's records; if they are equally
        many, nobody else can have a value of T. Over all T this is exactly what one bucket's counts imply.
        """
        changed = [np.zeros(0, dtype=np.int64)]
        blocks = blocks[(family.value_count[blocks] >= LEAST_TIGHT_SET_VALUES) & (family.value_count[blocks] <= TIGHT_SET_VALUES)]
        for width in (4, 6, TIGHT_SET_VALUES):
            fitting = blocks[family.value_count[blocks] <= width]
            blocks = blocks[family.value_count[blocks] > width]
            step = max(1, TIGHT_SET_BATCH >> width)
            for begin in range(0, len(fitting), step):
                changed.append(self._tight_sets_of_width(family, fitting[begin : begin + step], width))
        return np.unique(np.concatenate(changed))

    def _tight_sets_of_width(self, family: _Family, blocks: Ints, width: int) -> Ints:
        problem = self.problem
        member, block = family.members(blocks)
        undecided = self.live_count[member] > 1
        left = np.zeros((len(blocks), width))
        row, row_block = family.rows(blocks)
        left[row_block, family.position[row]] = problem.upper[row]

        # Decided persons only lower the counts that are left for the others.
        first = problem.first_cell
        decided = member[~undecided]
        cell = ranges(first[decided], first[decided + 1] - first[decided])
        owner_block = np.repeat(block[~undecided], first[decided + 1] - first[decided])
        counted = self.alive[cell] & (family.block_of_cell[cell] == blocks[owner_block])
        np.subtract.at(left, (owner_block[counted], family.position[family.row_of_cell[cell[counted]]]), problem.person_count[problem.subject[cell[counted]]])

        member, block = member[undecided], block[undecided]
        if not len(member):
            return np.zeros(0, dtype=np.int64)
        persons = problem.person_count[member]
        count = first[member + 1] - first[member]
        cell = ranges(first[member], count)
        here = family.block_of_cell[cell] == np.repeat(blocks[block], count)
        bit = np.where(here, np.left_shift(1, family.position[family.row_of_cell[cell]]), 1 << width)
        begins = np.cumsum(count) - count
        options = np.bitwise_or.reduceat(np.where(self.alive[cell], bit, 0), begins)

        sets = np.arange(1 << width)
        inside = options < (1 << width)
        confined = np.bincount(block[inside] << width | options[inside], persons[inside], len(blocks) << width).reshape(len(blocks), -1)
        for value in range(width):
            has = (sets >> value & 1).astype(bool)
            confined[:, has] += confined[:, ~has]
        room = left @ (sets >> np.arange(width)[:, None] & 1).astype(np.float64)
        slack = tolerance.slack(room)
        over = confined > room + slack
        if over.any():
            raise Clash(family.rows(blocks[over.any(axis=1)])[0])
        usable = np.bitwise_or.reduceat(options[np.argsort(block, kind="stable")], np.flatnonzero(np.diff(np.sort(block), prepend=-1)))
        all_values = np.zeros(len(blocks), dtype=np.int64)
        all_values[np.unique(block)] = usable & ((1 << width) - 1)
        proper = (sets & ~all_values[:, None] == 0) & (sets != all_values[:, None]) & (sets > 0)
        tight_block, tight_set = np.nonzero((confined >= room - slack) & proper)
        if not len(tight_block):
            return np.zeros(0, dtype=np.int64)

        # Everyone of a tight bucket who can also have something outside the set loses the set's values.
        by_block = np.argsort(block, kind="stable")
        member_begin = np.searchsorted(block[by_block], np.arange(len(blocks) + 1))
        size = np.diff(member_begin)[tight_block]
        who = by_block[ranges(member_begin[tight_block], size)]
        values = np.repeat(tight_set, size)
        loses = (options[who] & ~values != 0) & (options[who] & values != 0)
        lost = np.zeros(len(member), dtype=np.int64)
        np.bitwise_or.at(lost, who[loses], values[loses])
        gone = here & (bit & np.repeat(lost, count) != 0)
        return self.remove(cell[gone]) if gone.any() else np.zeros(0, dtype=np.int64)


class _Family:
    """One release: which rows are which bucket's counts, and who is in a bucket."""

    def __init__(self, problem: Problem, by_cell: sp.csr_array, number: int) -> None:
        assert problem.family is not None and problem.block is not None
        self._rows = np.flatnonzero((problem.family == number) & (problem.block >= 0))
        names, block = np.unique(problem.block[self._rows], return_inverse=True)
        self.block_count = len(names)
        order = np.argsort(block, kind="stable")
        self._rows = self._rows[order]
        self._row_begin = np.searchsorted(block[order], np.arange(self.block_count + 1))
        self.value_count = np.diff(self._row_begin)
        block_of_row = np.full(problem.row_count, -1)
        block_of_row[self._rows] = block[order]
        self.position = np.zeros(problem.row_count, dtype=np.int64)
        self.position[self._rows] = np.arange(len(self._rows)) - np.repeat(self._row_begin[:-1], self.value_count)

        of_family = block_of_row[by_cell.indices] >= 0
        cell_of_entry = np.repeat(np.arange(problem.cell_count), np.diff(by_cell.indptr))[of_family]
        row_of_entry = by_cell.indices[of_family].astype(np.int64)
        self.row_of_cell = np.zeros(problem.cell_count, dtype=np.int64)
        self.row_of_cell[cell_of_entry] = row_of_entry
        self.block_of_cell = np.full(problem.cell_count, -1)
        self.block_of_cell[cell_of_entry] = block_of_row[row_of_entry]

        pair = np.unique(self.block_of_cell[cell_of_entry] * problem.subject_count + problem.subject[cell_of_entry])
        self._member = pair % max(problem.subject_count, 1)
        member_block = pair // max(problem.subject_count, 1)
        self._member_begin = np.searchsorted(member_block, np.arange(self.block_count + 1))
        by_subject = np.argsort(self._member, kind="stable")
        self._block_by_subject = member_block[by_subject]
        self._subject_begin = np.searchsorted(self._member[by_subject], np.arange(problem.subject_count + 1))

    def members(self, blocks: Ints) -> tuple[Ints, Ints]:
        """The subjects of some blocks, and which of `blocks` (by position) each is in."""
        start, count = self._member_begin[blocks], np.diff(self._member_begin)[blocks]
        return self._member[ranges(start, count)], np.repeat(np.arange(len(blocks)), count)

    def rows(self, blocks: Ints) -> tuple[Ints, Ints]:
        """The rows of some blocks, and which of `blocks` (by position) each belongs to."""
        start, count = self._row_begin[blocks], self.value_count[blocks]
        return self._rows[ranges(start, count)], np.repeat(np.arange(len(blocks)), count)

    def blocks_of(self, subjects: Ints) -> Bools:
        """[blocks] whether one of the subjects is in it."""
        touched = np.zeros(self.block_count, dtype=bool)
        start = self._subject_begin[subjects]
        touched[self._block_by_subject[ranges(start, self._subject_begin[subjects + 1] - start)]] = True
        return touched


def _families(problem: Problem) -> list[int]:
    """The families whose rows are what the tight-set argument needs: counts (coefficient 1) with an upper bound, a cell in at most one."""
    if problem.family is None:
        return []
    _, bucket, rows = np.unique(problem.bucket, return_inverse=True, return_counts=True)
    wide = (rows[bucket] >= LEAST_TIGHT_SET_VALUES) & (problem.bucket >= 0)
    if not wide.any():
        return []
    entry_family = np.repeat(problem.family, np.diff(problem.matrix.indptr))
    usable = []
    for number in np.unique(problem.family[wide]):
        mine = entry_family == number
        cells = problem.matrix.indices[mine]
        once = len(cells) == 0 or np.bincount(cells).max() == 1
        if once and np.all(problem.matrix.data[mine] == 1.0) and np.all(np.isfinite(problem.upper[problem.family == number])):
            usable.append(int(number))
    return usable
