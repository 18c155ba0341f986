"""The dual function of a union of components, each with its own value, and the linear systems that Newton's method meets.

With One constraints eliminated, the dual of `Reduced` is

    g(m) = sum_u n_u log sum_j prior_j exp((A' m)_j)  -  m . t        m free for an equation, m >= 0 for "at least t"

("at most" rows are turned round). Its gradient is A x - t with x = n p the expected number of persons per cell, and its Hessian is
A W A' with W = diag(x) - sum_u x_u x_u' / n_u. Components share nothing, so sums, step lengths and conjugate-gradient
scalars are kept per component and all components advance in the same vector operations.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp

from .arrays import renumber, submatrix
from .problem import Bools, Floats, Ints
from .reduce import Reduced


@dataclass(frozen=True, eq=False)
class Point:
    """Everything that one evaluation at some multipliers gives."""

    multiplier: Floats  # [rows]
    probability: Floats  # [cells]
    persons: Floats  # [cells] person_count * probability
    value: Floats  # [components]
    residual: Floats  # [rows] activity minus target


@dataclass(frozen=True, eq=False)
class Dual:
    """A union of components in the form above; rows, subjects and cells are sorted by component."""

    subject: Ints
    first_cell: Ints
    person_count: Floats
    log_prior: Floats
    matrix: sp.csr_array
    by_cell: sp.csr_array
    ones: sp.csr_array  # [subjects x cells] sums over a subject's cells
    target: Floats
    is_bound: Bools  # [rows] "at least" rather than "equal"
    bucket: Ints  # [rows] rows of one bucket share a number; -1 for rows that are no bucket's counts
    row_begin: Ints  # [components] where a component's rows begin
    subject_begin: Ints
    component_of_row: Ints
    component_of_subject: Ints
    source_row: Ints  # [rows] the row of Reduced that it states ..
    source_sign: Floats  # .. and +1, or -1 where it was turned round
    source_cell: Ints  # [cells] the cell of Reduced
    source_component: Ints  # [components]

    @property
    def component_count(self) -> int:
        return len(self.row_begin)

    @property
    def component_of_cell(self) -> Ints:
        return np.asarray(self.component_of_subject[self.subject])

    def sum_rows(self, values: Floats) -> Floats:
        if self.component_count == 1:
            return np.array([values.sum()])
        return np.add.reduceat(values, self.row_begin)

    def dot_rows(self, a: Floats, b: Floats) -> Floats:
        if self.component_count == 1:
            return np.array([a @ b])
        return np.add.reduceat(a * b, self.row_begin)

    def max_rows(self, values: Floats) -> Floats:
        return np.maximum.reduceat(values, self.row_begin)

    def max_cells(self, values: Floats) -> Floats:
        return np.maximum.reduceat(values, self.first_cell[self.subject_begin])

    def to_rows(self, values: Floats) -> Floats:
        """One number per component, repeated for each of its rows."""
        return values if self.component_count == 1 else values[self.component_of_row]

    def subject_sum(self, values: Floats) -> Floats:
        return np.asarray(self.ones @ values)

    def at(self, multiplier: Floats) -> Point:
        exponent = self.log_prior + self.by_cell @ multiplier
        top = np.maximum.reduceat(exponent, self.first_cell[:-1])
        weight = np.exp(exponent - top[self.subject])
        total = self.subject_sum(weight)
        probability = weight / total[self.subject]
        persons = self.person_count[self.subject] * probability
        log_total = self.person_count * (np.log(total) + top)
        value = np.add.reduceat(log_total, self.subject_begin) - self.dot_rows(multiplier, self.target)
        return Point(multiplier, probability, persons, value, self.matrix @ persons - self.target)

    def share(self, persons: Floats) -> Floats:
        """[cells] the share of its subject's weight that a cell has."""
        return np.asarray(persons / self.subject_sum(persons)[self.subject])

    def averaging(self, persons: Floats) -> sp.csr_array:
        """[subjects x cells] takes the mean over a subject's cells, weighted by persons."""
        return sp.csr_array((self.share(persons), self.ones.indices, self.ones.indptr), shape=self.ones.shape)

    def centred(self, direction: Floats, averaging: sp.csr_array) -> Floats:
        """[cells] how a direction of multipliers changes the logarithm of each probability, to first order."""
        change = self.by_cell @ direction
        change -= (averaging @ change)[self.subject]
        return np.asarray(change)

    def curvature_diagonal(self, persons: Floats) -> tuple[Floats, Floats]:
        """The Hessian's diagonal, for rows that meet each subject in one cell (an upper bound otherwise), and what it would be without One constraints."""
        squared = sp.csr_array((self.matrix.data**2, self.matrix.indices, self.matrix.indptr), shape=self.matrix.shape)
        return np.asarray(squared @ (persons * (1.0 - self.share(persons)))), np.asarray(squared @ persons)

    def select(self, chosen: Bools) -> Dual:
        """Only some components."""
        rows = chosen[self.component_of_row]
        subjects = chosen[self.component_of_subject]
        cells = subjects[self.subject]
        number = renumber(chosen)
        return build(
            subject=renumber(subjects)[self.subject[cells]],
            person_count=self.person_count[subjects],
            log_prior=self.log_prior[cells],
            matrix=submatrix(self.matrix, np.flatnonzero(rows), renumber(cells), int(cells.sum())),
            target=self.target[rows],
            is_bound=self.is_bound[rows],
            bucket=self.bucket[rows],
            component_of_row=number[self.component_of_row[rows]],
            component_of_subject=number[self.component_of_subject[subjects]],
            source_row=self.source_row[rows],
            source_sign=self.source_sign[rows],
            source_cell=self.source_cell[cells],
            source_component=self.source_component[chosen],
        )


def build(
    *,
    subject: Ints,
    person_count: Floats,
    log_prior: Floats,
    matrix: sp.csr_array,
    target: Floats,
    is_bound: Bools,
    bucket: Ints,
    component_of_row: Ints,
    component_of_subject: Ints,
    source_row: Ints,
    source_sign: Floats,
    source_cell: Ints,
    source_component: Ints,
) -> Dual:
    """Derive the index arrays; rows and subjects must be sorted by component, and every component has both."""
    numbers = np.arange(len(source_component))
    first_cell = np.searchsorted(subject, np.arange(len(person_count) + 1))
    cells = len(subject)
    # As a sparse product this sum is several times faster than `np.add.reduceat`.
    ones = sp.csr_array(
        (np.ones(cells), np.arange(cells, dtype=matrix.indices.dtype), first_cell.astype(matrix.indptr.dtype)), shape=(len(person_count), cells)
    )
    return Dual(
        subject=subject,
        first_cell=first_cell,
        person_count=person_count,
        log_prior=log_prior,
        matrix=matrix,
        by_cell=matrix.T.tocsr(),
        ones=ones,
        target=target,
        is_bound=is_bound,
        bucket=bucket,
        row_begin=np.searchsorted(component_of_row, numbers),
        subject_begin=np.searchsorted(component_of_subject, numbers),
        component_of_row=component_of_row,
        component_of_subject=component_of_subject,
        source_row=source_row,
        source_sign=source_sign,
        source_cell=source_cell,
        source_component=source_component,
    )


def dual_of(reduced: Reduced, chosen: Bools) -> Dual:
    """The dual of some components of a reduced problem: two-sided rows become two, "at most" rows are turned round."""
    in_scope = chosen[reduced.component_of_row]
    equal = in_scope & (reduced.lower == reduced.upper)
    at_least = in_scope & ~equal & np.isfinite(reduced.lower)
    at_most = in_scope & ~equal & np.isfinite(reduced.upper)
    source_row = np.concatenate([np.flatnonzero(kind) for kind in (equal, at_least, at_most)])
    sign = np.repeat([1.0, 1.0, -1.0], [int(kind.sum()) for kind in (equal, at_least, at_most)])
    target = np.where(sign > 0, reduced.lower[source_row], -reduced.upper[source_row])
    order = np.argsort(reduced.component_of_row[source_row], kind="stable")
    source_row, sign, target = source_row[order], sign[order], target[order]

    subjects = chosen[reduced.component_of_subject]
    cells = subjects[reduced.subject]
    matrix = submatrix(reduced.matrix, source_row, renumber(cells), int(cells.sum()))
    matrix.data = matrix.data * np.repeat(sign, np.diff(matrix.indptr))
    number = renumber(chosen)
    return build(
        subject=renumber(subjects)[reduced.subject[cells]],
        person_count=reduced.person_count[subjects],
        log_prior=reduced.log_prior[cells],
        matrix=matrix,
        target=target,
        is_bound=(reduced.lower != reduced.upper)[source_row],
        bucket=reduced.bucket[source_row],
        component_of_row=number[reduced.component_of_row[source_row]],
        component_of_subject=number[reduced.component_of_subject[subjects]],
        source_row=source_row,
        source_sign=sign,
        source_cell=np.flatnonzero(cells),
        source_component=np.flatnonzero(chosen),
    )
