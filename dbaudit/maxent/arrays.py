"""Small array idioms that NumPy lacks, named once."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from .problem import Bools, Floats, Ints


def ranges(start: Ints, count: Ints) -> Ints:
    """start[0], start[0] + 1, .. (count[0] numbers), then the same for start[1], and so on."""
    total = int(count.sum())
    if total == 0:
        return np.zeros(0, dtype=np.int64)
    offset = np.cumsum(count) - count
    return np.asarray(np.repeat(start - offset, count) + np.arange(total))


def distinct(numbers: Ints, count: int) -> Ints:
    """The different numbers among some in 0 .. count - 1, sorted: by marking them where they are many, by `np.unique` where they are few."""
    if 16 * len(numbers) < count:
        return np.unique(numbers).astype(np.int64)
    marked = np.zeros(count, dtype=bool)
    marked[numbers] = True
    return np.flatnonzero(marked)


def entries_of(matrix: sp.csr_array, rows: Ints) -> tuple[Ints, Ints]:
    """The positions in `matrix.data` of some rows' entries, and which of `rows` (by position) each belongs to."""
    start = matrix.indptr[rows].astype(np.int64)
    count = matrix.indptr[rows + 1] - start
    return ranges(start, count), np.repeat(np.arange(len(rows)), count)


def row_of_entry(matrix: sp.csr_array) -> Ints:
    """[entries] the row that each stored entry stands in."""
    return np.repeat(np.arange(matrix.shape[0]), np.diff(matrix.indptr))


def submatrix(matrix: sp.csr_array, rows: Ints, position: Ints, width: int) -> sp.csr_array:
    """Some rows of a matrix; column j moves to position[j], or is left out where that is negative."""
    entry, row = entries_of(matrix, rows)
    column = position[matrix.indices[entry]]
    kept = column >= 0
    # Products with 32-bit indices read half as much memory; SciPy wants both index arrays alike.
    index = np.int32 if max(len(entry), width) < np.iinfo(np.int32).max else np.int64
    indptr = np.zeros(len(rows) + 1, dtype=index)
    np.cumsum(np.bincount(row[kept], minlength=len(rows)), out=indptr[1:])
    return sp.csr_array((matrix.data[entry[kept]], column[kept].astype(index), indptr), shape=(len(rows), width))


def renumber(kept: Bools) -> Ints:
    """[len(kept)] the new number of each kept position, -1 for the others."""
    number = np.cumsum(kept) - 1
    return np.where(kept, number, -1)


def size_of(bound: Floats) -> Floats:
    """The absolute value of a bound; 0 where it is infinite, that is, absent."""
    return np.where(np.isfinite(bound), np.abs(bound), 0.0)


def largest_coefficients(matrix: sp.csr_array) -> Floats:
    """[rows] the largest absolute coefficient; 1 for a row without entries."""
    return _coefficients(matrix, np.maximum)


def smallest_coefficients(matrix: sp.csr_array) -> Floats:
    """[rows] the smallest absolute coefficient; 1 for a row without entries."""
    return _coefficients(matrix, np.minimum)


def _coefficients(matrix: sp.csr_array, extreme: np.ufunc) -> Floats:
    out = np.ones(matrix.shape[0])
    filled = np.flatnonzero(np.diff(matrix.indptr))
    if len(filled):
        out[filled] = extreme.reduceat(np.abs(matrix.data), matrix.indptr[filled])
    return out
