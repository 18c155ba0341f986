"""The one convex program behind every audit: its data, checked once, and the answer's shape."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Problem:
    """Least divergence from a prior (by default: maximum entropy) under linear constraints, subject by subject.

    A cell is a pair (subject, value); its unknown is p, the probability that a person of the subject has the value.

        maximise    sum over subjects u of  person_count[u] * H(p_u)
        subject to  lower <= matrix @ (person_count[subject] * p) <= upper,   p >= 0,   p sums to 1 in each subject

    subject       [cells] which subject a cell belongs to, sorted; 0 .. len(person_count) - 1
    person_count  [subjects] positive; how many indistinguishable persons a subject stands for
    matrix        [constraints x cells] sparse; coefficients per person
    lower, upper  [constraints] equal bounds make an equation, an infinite one is absent
    prior         [cells] positive, or None; need not be normalised
    labels        one text per constraint; rows with the same text are one statement
    family, block [constraints] or None: the rows of one family (a release) with one block number (a bucket) are the value
                  counts of that bucket. -1 is none. They speed the solver up and never change an answer.

    Raises ValueError where the arrays do not fit together.
    """

    subject: Ints
    person_count: Floats
    matrix: sp.csr_array
    lower: Floats
    upper: Floats
    prior: Floats | None = None
    labels: Sequence[str] | None = None
    family: Ints | None = None
    block: Ints | None = None

    def __post_init__(self) -> None:
        _freeze(self, "subject", whole_numbers("subject", self.subject))
        _freeze(self, "person_count", _real_numbers("person_count", self.person_count))
        _freeze(self, "lower", _real_numbers("lower", self.lower))
        _freeze(self, "upper", _real_numbers("upper", self.upper))
        _freeze(self, "matrix", sparse_rows("matrix", self.matrix))
        if self.prior is not None:
            _freeze(self, "prior", _real_numbers("prior", self.prior))
        if self.labels is not None:
            _freeze(self, "labels", [str(label) for label in self.labels])
        for name in ("family", "block"):
            if getattr(self, name) is not None:
                _freeze(self, name, whole_numbers(name, getattr(self, name)))
        self._check_shapes()
        self._check_values()

    @property
    def cell_count(self) -> int:
        return len(self.subject)

    @property
    def subject_count(self) -> int:
        return len(self.person_count)

    @property
    def row_count(self) -> int:
        return len(self.lower)

    @cached_property
    def first_cell(self) -> Ints:
        """[subjects + 1] where each subject's cells begin."""
        return np.searchsorted(self.subject, np.arange(self.subject_count + 1)).astype(np.int64)

    @cached_property
    def statement(self) -> Ints:
        """[constraints] which statement a row belongs to: rows with one label share a number."""
        if self.labels is None:
            return np.arange(self.row_count, dtype=np.int64)
        number: dict[str, int] = {}
        return np.array([number.setdefault(label, len(number)) for label in self.labels], dtype=np.int64)

    @cached_property
    def bucket(self) -> Ints:
        """[constraints] one number for each (family, block), -1 for rows of none."""
        if self.family is None or self.block is None:
            return np.full(self.row_count, -1)
        width = int(self.block.max(initial=0)) + 1
        if width * (int(self.family.max(initial=0)) + 1) > np.iinfo(np.int64).max:
            raise ValueError("family and block numbers are too large: number the buckets of a release from 0.")
        bucket = self.family * width + self.block
        return np.where((self.family >= 0) & (self.block >= 0), bucket, -1)

    def label(self, row: int) -> str:
        return self.labels[row] if self.labels is not None else f"constraint {row}"

    @cached_property
    def log_prior(self) -> Floats:
        """[cells] logarithm of the prior, normalised within each subject; 0 everywhere where there is none."""
        if self.prior is None:
            return np.zeros(self.cell_count)
        log = np.log(self.prior)
        top = np.full(self.subject_count, -np.inf)
        np.maximum.at(top, self.subject, log)
        total = np.bincount(self.subject, np.exp(log - top[self.subject]), self.subject_count)
        return np.asarray(log - (top + np.log(np.where(total > 0, total, 1.0)))[self.subject])

    def _check_shapes(self) -> None:
        cells, rows = self.cell_count, self.row_count
        if self.matrix.shape != (rows, cells):
            raise ValueError(f"matrix is {self.matrix.shape[0]} x {self.matrix.shape[1]}, but there are {rows} lower bounds and {cells} cells.")
        for name, size in (("upper", rows), ("prior", cells), ("labels", rows), ("family", rows), ("block", rows)):
            given = getattr(self, name)
            if given is not None and len(given) != size:
                raise ValueError(f"{name} has {len(given)} entries, expected {size}.")
        if (self.family is None) != (self.block is None):
            raise ValueError("family and block belong together: give both or neither.")

    def _check_values(self) -> None:
        if np.any(np.diff(self.subject) < 0):
            raise ValueError("subject must be sorted: the cells of a subject stand together.")
        if self.cell_count and (self.subject[0] < 0 or self.subject[-1] >= self.subject_count):
            raise ValueError(f"subject must lie in 0 .. {self.subject_count - 1}, as person_count has {self.subject_count} entries.")
        _refuse("person_count must be positive and finite", ~(np.isfinite(self.person_count) & (self.person_count > 0)), "subject")
        _refuse("a coefficient of matrix is not finite", ~np.isfinite(self.matrix.data), "entry")
        _refuse("lower and upper must be numbers, not nan", np.isnan(self.lower) | np.isnan(self.upper), "constraint")
        _refuse("lower must not be +inf, nor upper -inf", (self.lower == np.inf) | (self.upper == -np.inf), "constraint")
        if self.prior is not None:
            _refuse("prior must be positive and finite; leave an impossible cell out instead", ~(np.isfinite(self.prior) & (self.prior > 0)), "cell")


@dataclass(frozen=True, eq=False)
class Solution:
    """The answer and its proof.

    probability   [cells] sums to 1 within each subject
    is_forced     [cells] proven 0, or proven 1, in every feasible point
    multiplier    [constraints] probability is proportional to prior * exp(matrix.T @ multiplier) on the cells not proven 0
    entropy       bits, summed over persons; with a prior the divergence from it, in bits
    residual      largest violation of a constraint, relative; recomputed from `probability` on the problem as it was given
    duality_gap   relative distance between the answer's value and the bound that `multiplier` proves; recomputed likewise
    component_count  parts of the problem that share no subject and no constraint
    iterations    Newton steps, all components advancing together; those of every start are added up
    status        "solved": certified, support proven. "stopped": the caller stopped it; the figures say how far it came
    """

    probability: Floats
    is_forced: Bools
    multiplier: Floats
    entropy: float
    residual: float
    duality_gap: float
    component_count: int
    iterations: int
    status: str


@dataclass(frozen=True)
class Progress:
    """What a progress callback is told: the stage, the share of it that is done (it may begin again when impossible cells were found),
    and the largest error of the components still under way."""

    stage: str
    done: float
    residual: float = field(default=float("inf"))


def _freeze(target: object, name: str, value: Any) -> None:
    if isinstance(value, np.ndarray):
        value = value.view()
        value.flags.writeable = False
    object.__setattr__(target, name, value)


def whole_numbers(name: str, given: Any) -> Ints:
    """A one-dimensional array of whole numbers, or a ValueError that names it."""
    array = np.asarray(given)
    if array.size and array.dtype.kind not in "iu":
        raise ValueError(f"{name} must be an array of whole numbers, not {array.dtype}.")
    return _flat(name, array.astype(np.int64))


def _real_numbers(name: str, given: Any) -> Floats:
    return _flat(name, np.asarray(given, dtype=np.float64))


def _flat(name: str, array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    if array.ndim != 1:
        raise ValueError(f"{name} must be one-dimensional, not {array.ndim}-dimensional.")
    return array


def sparse_rows(name: str, given: Any) -> sp.csr_array:
    """CSR with sorted indices, no duplicates and no stored zeros; the caller's matrix stays as it was."""
    matrix = sp.csr_array(given, dtype=np.float64)
    if matrix.ndim != 2:
        raise ValueError(f"{name} must have two dimensions, not {matrix.ndim}.")
    if not matrix.has_canonical_format or (matrix.nnz and not np.all(matrix.data)):
        matrix = matrix.copy()
        matrix.sum_duplicates()
        matrix.eliminate_zeros()
    return matrix


def _refuse(what: str, bad: Bools, unit: str) -> None:
    if bad.any():
        where = np.flatnonzero(bad)
        raise ValueError(f"{what} ({unit} {', '.join(map(str, where[:5]))}{' and others' if len(where) > 5 else ''}).")
