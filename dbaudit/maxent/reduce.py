"""Stages 3 and 4: what is left to solve once impossible cells are gone, as small as it can be stated, in components.

Decided subjects move into the bounds; rows without unknowns, or that hold whatever happens, are dropped; rows that say the same
become one; subjects that no row tells apart become one. All of this is exact: it changes no answer and no multiplier's meaning.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import scipy.sparse as sp
from scipy.sparse.csgraph import connected_components

from . import tolerance
from .arrays import largest_coefficients, renumber, row_of_entry, size_of, submatrix
from .problem import Bools, Floats, Ints, Problem
from .propagate import Clash, Support


@dataclass(frozen=True, eq=False)
class Reduced:
    """A smaller problem, its rows scaled to a largest coefficient of 1, and the way back to the problem it came from.

    Cells, subjects and rows are sorted by component.
    """

    subject: Ints  # [cells]
    first_cell: Ints  # [subjects + 1]
    person_count: Floats  # [subjects]
    log_prior: Floats  # [cells]
    matrix: sp.csr_array  # [rows x cells]
    lower: Floats  # [rows]
    upper: Floats  # [rows]
    bucket: Ints  # [rows] rows of one bucket share a number; -1 for rows that are no bucket's counts
    component_of_row: Ints
    component_of_subject: Ints
    component_count: int
    source_cell: Ints  # cells of the original problem ..
    cell_of_source: Ints  # .. and the cell here that answers for each
    lower_source: Ints  # [rows] the original row that states the lower bound ..
    upper_source: Ints  # .. and the one that states the upper bound
    row_of_source: Ints  # [original rows] the row here that a row became part of, or -1 ..
    source_scale: Floats  # .. and its coefficients divided by those here

    @cached_property
    def component_of_cell(self) -> Ints:
        return np.asarray(self.component_of_subject[self.subject])

    def sources_of(self, cells: Ints) -> Ints:
        """The original cells for which some cells here answer."""
        chosen = np.zeros(len(self.subject), dtype=bool)
        chosen[cells] = True
        return np.asarray(self.source_cell[chosen[self.cell_of_source]])

    def original_multiplier(self, multiplier: Floats) -> Floats:
        """Multipliers of the original rows: a lower bound pushes up, an upper bound down, whoever stated it."""
        source = np.where(multiplier > 0, self.lower_source, self.upper_source)
        return np.bincount(source, multiplier / self.source_scale[source], len(self.row_of_source)).astype(np.float64)

    def starting_multiplier(self, given: Floats) -> Floats:
        """The reverse: what some multipliers of the original rows mean here."""
        known = np.flatnonzero(self.row_of_source >= 0)
        return np.bincount(self.row_of_source[known], given[known] * self.source_scale[known], len(self.lower)).astype(np.float64)


def reduce(problem: Problem, support: Support, pending: Bools, lump: bool = True) -> Reduced:
    """State what is left for the `pending` subjects. Raises Clash where a row cannot hold any more."""
    undecided = pending & (support.live_count > 1)
    unknown = support.alive & undecided[problem.subject]
    cells = np.flatnonzero(unknown)
    matrix, lower, upper, rows = _rows_left(problem, support, cells)
    subject = renumber(undecided)[problem.subject[cells]]
    persons = problem.person_count[undecided]
    log_prior = problem.log_prior[cells]

    representative, group = _lump(matrix, subject, log_prior, len(persons)) if lump else (np.ones(len(persons), dtype=bool), np.arange(len(cells)))
    position = renumber(representative[subject])
    cell_of_source = group
    persons = np.bincount(_leader(subject, group), persons, len(persons))[representative]
    kept = np.flatnonzero(representative[subject])
    matrix = submatrix(matrix, np.arange(len(rows)), position, len(kept))
    subject = renumber(representative)[subject[kept]]
    log_prior = log_prior[kept]

    matrix, lower, upper, group, scale, lower_row, upper_row = _merge_rows(matrix, lower, upper, rows)
    count, component_of_row, component_of_subject = components(matrix, subject, len(persons))

    row_order = np.argsort(component_of_row, kind="stable")
    row_place = np.empty(len(lower), dtype=np.int64)
    row_place[row_order] = np.arange(len(lower))
    row_of_source = np.full(problem.row_count, -1)
    row_of_source[rows] = row_place[group]
    source_scale = np.ones(problem.row_count)
    source_scale[rows] = scale
    subject_order = np.argsort(component_of_subject, kind="stable")
    place = np.empty(len(persons), dtype=np.int64)
    place[subject_order] = np.arange(len(persons))
    cell_order = np.argsort(place[subject], kind="stable")
    new_cell = np.empty(len(subject), dtype=np.int64)
    new_cell[cell_order] = np.arange(len(subject))
    subject = place[subject][cell_order]
    return Reduced(
        subject=subject,
        first_cell=np.searchsorted(subject, np.arange(len(persons) + 1)),
        person_count=persons[subject_order],
        log_prior=log_prior[cell_order],
        matrix=submatrix(matrix, row_order, new_cell, len(subject)),
        lower=lower[row_order],
        upper=upper[row_order],
        bucket=problem.bucket[rows[lower_row[row_order]]],
        component_of_row=component_of_row[row_order],
        component_of_subject=component_of_subject[subject_order],
        component_count=count,
        source_cell=cells,
        cell_of_source=new_cell[cell_of_source],
        lower_source=rows[lower_row[row_order]],
        upper_source=rows[upper_row[row_order]],
        row_of_source=row_of_source,
        source_scale=source_scale,
    )


def components(matrix: sp.csr_array, subject: Ints, subject_count: int) -> tuple[int, Ints, Ints]:
    """Subjects and rows that hang together: how many groups, and the group of each row and of each subject."""
    row_count = matrix.shape[0]
    size = row_count + subject_count
    indptr = np.concatenate([matrix.indptr, np.full(subject_count, matrix.indptr[-1], dtype=matrix.indptr.dtype)])
    partner = (subject + row_count).astype(matrix.indices.dtype)[matrix.indices]
    graph = sp.csr_array((np.ones(matrix.nnz, dtype=np.int8), partner, indptr), shape=(size, size))
    count, label = connected_components(graph, directed=False)
    return int(count), label[:row_count], label[row_count:]


def _rows_left(problem: Problem, support: Support, cells: Ints) -> tuple[sp.csr_array, Floats, Floats, Ints]:
    """Rows that still restrict the unknown cells, their bounds lessened by what decided subjects contribute."""
    position = np.full(problem.cell_count, -1)
    position[cells] = np.arange(len(cells))
    row, index = row_of_entry(problem.matrix), problem.matrix.indices
    left = np.bincount(row[position[index] >= 0], minlength=problem.row_count) > 0
    rows = np.flatnonzero(left)
    decided = support.alive & (support.live_count == 1)[problem.subject]
    fixed = problem.matrix @ np.where(decided, problem.person_count[problem.subject], 0.0)
    lower, upper = problem.lower - fixed, problem.upper - fixed

    # Rows without unknowns, here or in other components, must hold as they are.
    unknown = support.alive & (support.live_count > 1)[problem.subject]
    closed = np.bincount(row[unknown[index]], minlength=problem.row_count) == 0
    slack = tolerance.slack(np.maximum(np.abs(fixed), np.maximum(size_of(problem.lower), size_of(problem.upper))), largest_coefficients(problem.matrix))
    wrong = closed & ((lower > slack) | (upper < -slack))
    if wrong.any():
        raise Clash(np.flatnonzero(wrong))
    inequality = rows[lower[rows] < upper[rows]]
    if len(inequality):
        low, high = support.activity_range(inequality)
        holds = (low >= problem.lower[inequality]) & (high <= problem.upper[inequality])
        left[inequality[holds]] = False
        rows = np.flatnonzero(left)
    return submatrix(problem.matrix, rows, position, len(cells)), lower[rows], upper[rows], rows


def _fingerprint(values: Floats) -> np.ndarray:
    """Scrambled bits of floating-point numbers, fit for sums that should differ whenever a number differs."""
    bits = np.asarray(values, dtype=np.float64).view(np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    bits = (bits ^ (bits >> np.uint64(29))) * np.uint64(0xBF58476D1CE4E5B9)
    return np.asarray(bits ^ (bits >> np.uint64(32)))


def _lump(matrix: sp.csr_array, subject: Ints, log_prior: Floats, subject_count: int) -> tuple[np.ndarray, Ints]:
    """Find subjects that every row treats alike: their answers agree, so one of them can stand for all.

    Returns whether each subject is a representative, and for each cell the number, among the representatives' cells, of
    the one that answers for it. Columns are compared by 64-bit fingerprints; should two ever collide, the
    certificate, which is computed on the original problem, would refuse the answer.
    """
    everyone = np.ones(subject_count, dtype=bool)
    nothing_lumped = (everyone, np.arange(len(subject)))
    if subject_count < 2:
        return nothing_lumped
    weight = np.random.default_rng(20081).standard_normal(matrix.shape[0])
    begins = np.flatnonzero(np.diff(subject, prepend=-1))
    highest = np.maximum.reduceat(log_prior, begins)[subject]
    column = matrix.T @ weight + np.round(log_prior - highest, 12) * np.pi
    mark = _fingerprint(column)
    signature = np.add.reduceat(mark + np.uint64(0xD6E8FEB86659FD93), begins)  # the constant counts the cells
    order = np.argsort(signature, kind="stable")
    is_new = np.diff(signature[order].astype(np.uint64), prepend=signature[order[0]] + np.uint64(1)) != 0
    if is_new.all():
        return nothing_lumped
    leader = np.empty(subject_count, dtype=np.int64)
    leader[order] = order[np.flatnonzero(is_new)][np.cumsum(is_new) - 1]
    representative = leader == np.arange(subject_count)

    # Align the cells of a lumped subject with its leader's by sorting both by their columns' marks.
    size = np.diff(np.r_[begins, len(subject)])
    if np.any(size != size[leader]):
        return nothing_lumped
    sorted_cells = np.lexsort((mark, subject))
    rank = np.arange(len(subject)) - begins[subject]
    twin = np.empty(len(subject), dtype=np.int64)
    twin[sorted_cells] = sorted_cells[begins[leader[subject]] + rank]
    if np.any(mark[twin] != mark):
        return nothing_lumped
    return representative, renumber(representative[subject])[twin]


def _leader(subject: Ints, group: Ints) -> Ints:
    """[subjects] the position in the list of subjects of the one that represents it, from the cells' groups."""
    begins = np.flatnonzero(np.diff(subject, prepend=-1))
    first_source = np.full(int(group.max(initial=-1)) + 1, -1)
    first_source[group[::-1]] = np.arange(len(subject))[::-1]
    return np.asarray(subject[first_source[group[begins]]])


def _merge_rows(matrix: sp.csr_array, lower: Floats, upper: Floats, source: Ints) -> tuple[sp.csr_array, Floats, Floats, Ints, Floats, Ints, Ints]:
    """Scale rows to a largest coefficient of 1 and a positive first one; make one row of those that are then the same.

    Returns the merged rows with their bounds, each given row's merged row and scale, and the given rows whose bounds were taken.
    """
    row_count = matrix.shape[0]
    first = matrix.data[matrix.indptr[:-1]] if matrix.nnz else np.zeros(0)
    scale = largest_coefficients(matrix) * np.where(first < 0, -1.0, 1.0)
    scaled = sp.csr_array((matrix.data / np.repeat(scale, np.diff(matrix.indptr)), matrix.indices, matrix.indptr), shape=matrix.shape)
    low, high = lower / scale, upper / scale
    low, high = np.where(scale < 0, high, low), np.where(scale < 0, low, high)

    weight = np.random.default_rng(20082).standard_normal((matrix.shape[1], 1))
    rounded = sp.csr_array((np.round(scaled.data, 12), matrix.indices, matrix.indptr), shape=matrix.shape)
    mark = (rounded @ weight).ravel()
    _, leader, group = np.unique(mark, return_index=True, return_inverse=True)
    if len(leader) == row_count:
        leader = group = np.arange(row_count)
    count = len(leader)
    by_lower, by_upper = np.lexsort((low, group)), np.lexsort((-high, group))
    last = np.searchsorted(group[by_lower], np.arange(count), side="right") - 1
    lower_row, upper_row = by_lower[last], by_upper[last]
    low, high = low[lower_row], high[upper_row]
    slack = tolerance.slack(np.maximum(size_of(low), size_of(high)))
    wrong = low > high + slack
    if wrong.any():
        raise Clash(np.unique(np.r_[source[lower_row[wrong]], source[upper_row[wrong]]]))
    equal = high - low <= slack
    middle = np.where(equal, 0.5 * (np.where(equal, low, 0.0) + np.where(equal, high, 0.0)), 0.0)
    low, high = np.where(equal, middle, low), np.where(equal, middle, high)
    everything = np.arange(matrix.shape[1])
    return submatrix(scaled, leader, everything, matrix.shape[1]), low, high, group, scale, lower_row, upper_row
