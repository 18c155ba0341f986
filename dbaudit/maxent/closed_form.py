"""Stage 5: components whose answer can be written down.

A component that is one subject, each of whose rows fixes one cell, has no freedom but in the cells without a row; they share what
is left in proportion to the prior. After lumping this is every bucket about which nothing else is known
(Privacy-MaxEnt, Theorem 5: p = count / size), and every subject that no row restricts.
"""

from __future__ import annotations

import numpy as np

from . import tolerance
from .problem import Bools, Floats
from .propagate import Clash
from .reduce import Reduced


def solve_directly(reduced: Reduced) -> tuple[Bools, Floats, Floats, Bools]:
    """Which components have a closed form; the probability of each cell and the multiplier of each row there; the cells left with nothing."""
    entries = np.diff(reduced.matrix.indptr)
    plain = (entries == 1) & (reduced.lower == reduced.upper)
    direct = np.bincount(reduced.component_of_subject, minlength=reduced.component_count) == 1
    direct[reduced.component_of_row[~plain]] = False

    rows = np.flatnonzero(direct[reduced.component_of_row])
    cell_of_row = reduced.matrix.indices[reduced.matrix.indptr[rows]]
    persons = np.full(len(reduced.subject), np.nan)
    persons[cell_of_row] = reduced.lower[rows]
    free = np.isnan(persons)
    count = len(reduced.person_count)
    left = reduced.person_count - np.bincount(reduced.subject, np.where(free, 0.0, persons), count)
    weight = np.bincount(reduced.subject, np.where(free, np.exp(reduced.log_prior), 0.0), count)
    mine = direct[reduced.component_of_subject]
    allowed = tolerance.CERTIFICATE * np.maximum(1.0, reduced.person_count)
    wrong = mine & ((left < -allowed) | (weight == 0) & (left > allowed))
    if wrong.any():
        bad = np.isin(reduced.component_of_row, reduced.component_of_subject[wrong])
        raise Clash(np.unique(np.r_[reduced.lower_source[bad], reduced.upper_source[bad]]))
    used_up = mine & (weight > 0) & (left <= tolerance.slack(reduced.person_count))
    per_weight = np.where(weight > 0, np.maximum(left, 0.0), 1.0) / np.where(weight > 0, weight, 1.0)
    persons = np.where(free, np.exp(reduced.log_prior) * per_weight[reduced.subject], persons)
    multiplier = np.zeros(len(reduced.lower))
    offset = np.log(np.where(used_up | ~mine, 1.0, per_weight))
    multiplier[rows] = np.log(persons[cell_of_row]) - reduced.log_prior[cell_of_row] - offset[reduced.subject[cell_of_row]]
    probability = persons / np.bincount(reduced.subject, persons, count)[reduced.subject]
    return direct, probability, multiplier, free & used_up[reduced.subject]
