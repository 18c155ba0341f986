"""Stage 2, the exact part: impossible cells that follow only from several constraints together.

Where such cells are still present the dual has no minimiser: Newton's steps keep pushing them down, by one unit of the exponent a
step, for ever. The direction of those steps is the proof. Let d be a combination of rows (d >= 0 on "at least" rows) and s
one number per subject, and c = A'd - s per cell. Every feasible x has

    c . x  =  d . A x  -  s . n  >=  d . t  -  s . n  =: v

If c <= 0 everywhere, then c_j x_j >= v for each cell, so x_j <= v / c_j: with v = 0 the cells with c_j < 0 are impossible, and
with v > 0 nothing is feasible at all (Farkas). In floating point c may stick out above 0 by rounding; what that is worth at most is
added to the bound, so that a claim is only ever made with its error accounted for.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from . import tolerance
from .dual import Dual
from .linear import System
from .linear_program import LinearProgram
from .problem import Bools, Floats, Ints
from .reduce import components

# Entries of a combination that are this small beside its largest are rounding errors of a zero.
NOISE = 1e-9
# How near to whole numbers a combination must be to be taken for them; the proof is then computed from the whole numbers.
WHOLE = 1e-5
# Least-squares corrections, each of what rounding left of the one before.
REFINEMENTS = 3
# How exactly: while suspects are sorted out, and for the proof itself.
ROUGH = 1e-5
FINE = 1e-14
# Rounds of taking back cells that turn out not to be pushed down.
ROUNDS = 6


@dataclass(frozen=True, eq=False)
class Proof:
    """What a combination of rows proves."""

    impossible: Bools  # [cells]
    contradictory: Bools  # [components]
    rows: Bools  # [rows] rows of a combination that proves a contradiction


def prove(dual: Dual, direction: Floats, suspects: Bools, factorise: bool) -> Proof:
    """Turn a diverging Newton direction into a combination that is exactly 0 on all cells but the suspects, and read it.

    Suspects may be too many: those that the combination does not clearly push down are taken back, and it is corrected again.
    """
    size = dual.max_rows(np.abs(direction))
    direction = direction / dual.to_rows(np.where(np.isfinite(size) & (size > 0), size, np.inf))
    # A bound takes part only where it is pushed for good: the others' entries are the barrier's, of either sign.
    usable = ~dual.is_bound | (direction > tolerance.CLEAR)
    combination = np.where(usable, direction, 0.0)
    kept = ~suspects
    for _ in range(ROUNDS):
        combination = _clear(dual, combination, kept, usable, factorise, ROUGH)
        wrong_sign = usable & dual.is_bound & (combination < 0)
        push = dual.centred(combination, dual.averaging(kept.astype(np.float64)))
        deepest = -dual.max_cells(-push)
        acquitted = ~kept & (push > tolerance.CLEAR * deepest[dual.component_of_cell])
        if not wrong_sign.any() and not acquitted.any():
            break
        usable &= ~wrong_sign
        kept |= acquitted
        combination = np.where(usable, combination, 0.0)
    combination = _clear(dual, combination, kept, usable, factorise, FINE)
    whole = read(dual, combination)
    if whole.contradictory.any() or not np.any(~kept & ~whole.impossible):
        return whole
    split = read(dual, _without_offsets(dual, combination))
    return Proof(whole.impossible | split.impossible, split.contradictory, split.rows)


def prove_by_program(dual: Dual) -> tuple[Proof, Bools]:
    """The exact method for one component of moderate size: a linear program whose prices are the combination.

    maximise sum y  with  y <= x, y <= 1, rows of x = theta * bounds, theta >= 1, x >= 0: y is 1 on every possible cell, and the
    rows' prices push down exactly the others. Returns what the prices prove, and the cells that the program's own point shows to be possible.
    """
    cells, subjects = len(dual.subject), len(dual.person_count)
    ones = sp.csr_array((np.ones(cells), (dual.subject, np.arange(cells))), shape=(subjects, cells))
    rows = sp.vstack([ones, dual.matrix])
    bound = np.r_[dual.person_count, dual.target]
    one = sp.eye_array(cells)
    matrix = sp.vstack(
        [sp.hstack([rows, sp.csr_array((len(bound), cells)), sp.csr_array(-bound[:, None])]), sp.hstack([-one, one, sp.csr_array((cells, 1))])]
    ).tocsr()
    program = LinearProgram(
        matrix,
        row_lower=np.r_[np.zeros(len(bound)), np.full(cells, -np.inf)],
        row_upper=np.r_[np.zeros(subjects), np.where(dual.is_bound, np.inf, 0.0), np.zeros(cells)],
        lower=np.r_[np.zeros(2 * cells), 1.0],
        upper=np.r_[np.full(cells, np.inf), np.ones(cells), np.inf],
        cost=np.r_[np.zeros(cells), np.full(cells, -1.0), 0.0],
    )
    if not program.run():
        return read(dual, np.zeros(len(dual.target))), np.zeros(cells, dtype=bool)
    price = program.row_dual[subjects : len(bound)]
    return read(dual, np.where(dual.is_bound, np.maximum(price, 0.0), price)), program.point[cells : 2 * cells] > 0.5


def _without_offsets(dual: Dual, combination: Floats) -> Floats:
    """Take a constant from each bucket's rows so that most become 0: what is left falls into small pieces, with smaller rounding errors.

    Where all of a bucket's rows are still there, this changes no push; `read` computes what it did in any case.
    """
    in_block = np.flatnonzero(dual.bucket >= 0)
    if not len(in_block):
        return combination
    order = in_block[np.lexsort((combination[in_block], dual.bucket[in_block]))]
    block = dual.bucket[order]
    begin = np.flatnonzero(np.diff(block, prepend=-1))
    count = np.diff(np.r_[begin, len(block)])
    out = combination.copy()
    out[order] -= np.repeat(combination[order[begin + (count - 1) // 2]], count)
    return out


def _clear(dual: Dual, combination: Floats, kept: Bools, usable: Bools, factorise: bool, accuracy: float) -> Floats:
    """The nearest combination of usable rows that pushes no kept cell: a least-squares correction."""
    blocked = np.where(usable, 0.0, 1e30)  # an unusable row is held fast by an immense diagonal
    system = System(dual, kept.astype(np.float64), blocked, factorise)
    for _ in range(REFINEMENTS):
        rhs = np.where(usable, -system.curvature(combination), 0.0)
        noise = np.full(len(rhs), tolerance.NOISE) * dual.to_rows(dual.max_rows(np.abs(combination)))
        step, steps = system.solve(rhs, np.full(dual.component_count, accuracy), noise)
        combination = combination + np.where(usable, step, 0.0)
        if steps == 0 or accuracy > FINE:
            break
    return combination


def read(dual: Dual, combination: Floats) -> Proof:
    """What a combination of rows proves, piece by piece, with rounding errors accounted for."""
    size = dual.max_rows(np.abs(combination))
    size = np.where(size > 0, size, 1.0)
    combination = combination / dual.to_rows(size)
    combination = np.where(np.abs(combination) > NOISE, combination, 0.0)
    impossible = np.zeros(len(dual.subject), dtype=bool)
    contradictory = np.zeros(dual.component_count, dtype=bool)
    conflict = np.zeros(len(combination), dtype=bool)
    rows = np.flatnonzero(combination)
    if not len(rows):
        return Proof(impossible, contradictory, conflict)
    _, piece_of_row, piece_of_subject = components(dual.matrix[rows], dual.subject, len(dual.person_count))
    piece_of_cell = piece_of_subject[dual.subject]
    pieces = int(piece_of_subject.max()) + 1
    combination[rows] = _whole_numbers(combination[rows], piece_of_row, pieces)

    # With s = the largest change of a subject's cells no push is positive, so that all of rounding's work ends up in v. Extended precision where
    # the platform has it: a combination of rows that count a million persons must still be told from 0 by less than one.
    exact = combination.astype(np.longdouble)
    change = dual.by_cell.astype(np.longdouble) @ exact
    top = np.maximum.reduceat(change, dual.first_cell[:-1])
    push = (change - top[dual.subject]).astype(np.float64)
    terms = np.concatenate([exact[rows] * dual.target[rows], -top * dual.person_count])
    value = _sums(np.concatenate([piece_of_row, piece_of_subject]), terms, pieces)
    magnitude = _sums(np.concatenate([piece_of_row, piece_of_subject]), np.abs(terms), pieces)
    rounding = 16 * float(np.finfo(np.longdouble).eps) * magnitude

    # A contradiction smaller than the residual that an answer may have is none.
    allowed = np.bincount(piece_of_row, np.abs(combination[rows]) * np.maximum(1.0, np.abs(dual.target[rows])), pieces) * tolerance.CERTIFICATE
    wrong_piece = value > allowed + rounding
    conflict[rows[wrong_piece[piece_of_row]]] = True
    contradictory[dual.component_of_row[conflict]] = True
    deepest = np.zeros(pieces)
    np.minimum.at(deepest, piece_of_cell, push)
    # x <= v / push <= ZERO, without dividing.
    proven = (np.maximum(-value, 0.0) + rounding)[piece_of_cell] <= tolerance.ZERO * -push
    impossible = proven & (push < tolerance.CLEAR * deepest[piece_of_cell]) & ~contradictory[dual.component_of_cell]
    return Proof(impossible, contradictory, conflict)


def _whole_numbers(combination: Floats, piece: Ints, pieces: int) -> Floats:
    """Scale each piece so that its entries are whole numbers, if small ones fit: most proofs are, and then nothing is left to rounding."""
    largest = np.zeros(pieces)
    np.maximum.at(largest, piece, np.abs(combination))
    out = combination.copy()
    todo = np.ones(pieces, dtype=bool)
    for multiple in (1, 2, 3, 4, 5, 6, 8, 12):
        scaled = combination / largest[piece] * multiple
        misfit = np.zeros(pieces)
        np.maximum.at(misfit, piece, np.abs(scaled - np.round(scaled)))
        fits = todo & (misfit < WHOLE)
        out = np.where(fits[piece], np.round(scaled), out)
        todo &= ~fits
    return out


def _sums(group: Ints, values: npt.NDArray[np.longdouble], count: int) -> Floats:
    """Sums per group in extended precision."""
    order = np.argsort(group, kind="stable")
    begins = np.flatnonzero(np.diff(group[order], prepend=-1))
    out = np.zeros(count, dtype=np.longdouble)
    out[group[order[begins]]] = np.add.reduceat(values[order], begins)
    return out.astype(np.float64)
