"""Stage 5: components whose answer can be written down.

A component that is one subject, each of whose rows fixes one cell, has no freedom but in the cells without a row; they share what
is left in proportion to the prior. After lumping this is every bucket about which nothing else is known
(Privacy-MaxEnt, Theorem 5: p = count / size), and every subject that no row restricts.
"""

from __future__ import annotations

import numpy as np

from . import tolerance
from .arrays import Bools, Floats
from .propagate import Clash
from .reduce import Reduced


def solve_directly(reduced: Reduced) -> tuple[Bools, Floats, Floats]:
    """Which components have a closed form, and the probability of each cell and the multiplier of each row there."""
    entries = np.diff(reduced.matrix.indptr)
    plain = (entries == 1) & (reduced.lower == reduced.upper)
    direct = np.bincount(reduced.component_of_subject, minlength=reduced.component_count) == 1
    direct[reduced.component_of_row[~plain]] = False

    rows = np.flatnonzero(direct[reduced.component_of_row])
    cell_of_row = reduced.matrix.indices[reduced.matrix.indptr[rows]]
    persons = reduced.person_count[reduced.subject]
    share = np.full(len(persons), np.nan)
    share[cell_of_row] = reduced.lower[rows] / persons[cell_of_row]
    free = np.isnan(share)
    count = len(reduced.person_count)
    left = 1.0 - np.bincount(reduced.subject, np.where(free, 0.0, share), count)
    weight = np.bincount(reduced.subject, np.where(free, np.exp(reduced.log_prior), 0.0), count)
    impossible = (np.abs(left) > tolerance.CERTIFICATE) & (weight == 0) | (left < 0) & (weight > 0)
    impossible &= direct[reduced.component_of_subject]
    if impossible.any():
        raise Clash(np.unique(reduced.lower_source[np.isin(reduced.component_of_row, reduced.component_of_subject[impossible])]))
    per_weight = np.where(weight > 0, left, 1.0) / np.where(weight > 0, weight, 1.0)
    probability = np.where(free, np.exp(reduced.log_prior) * per_weight[reduced.subject], share)
    multiplier = np.zeros(len(reduced.lower))
    with np.errstate(divide="ignore", invalid="ignore"):
        multiplier[rows] = np.log(share[cell_of_row]) - reduced.log_prior[cell_of_row] - np.log(per_weight[reduced.subject[cell_of_row]])
    return direct, probability, multiplier
