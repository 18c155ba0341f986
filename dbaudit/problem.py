"""Where the matrix is built: the relations of the model become a `maxent.Problem`, and its answer becomes relations again.

Integer positions exist only here. Everything outside speaks of subjects, values and figures by name.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import scipy.sparse as sp

from dbaudit.maxent import Problem, Solution, bounds
from dbaudit.store import Session

Result = TypeVar("Result")


@dataclass(frozen=True)
class Measured:
    """For each group of persons: how probable the most probable value is, and how many bits remain unknown, of one of them."""

    surest: np.ndarray[tuple[int], np.dtype[np.float64]]
    bits: np.ndarray[tuple[int], np.dtype[np.float64]]


@dataclass(frozen=True)
class Told:
    """Groups of persons of whom an answer tells something, and how their values follow from the cells."""

    subject_ids: np.ndarray[tuple[int], np.dtype[np.int64]]  # [groups]
    person_count: np.ndarray[tuple[int], np.dtype[np.float64]]  # [groups] as sums count them
    first: np.ndarray[tuple[int], np.dtype[np.int64]]  # [groups] the first of a group's values
    share: sp.csr_array  # [values x cells]

    def measure(self, probability: np.ndarray[tuple[int], np.dtype[np.float64]]) -> Measured:
        """What probabilities of the cells mean for each group."""
        value = self.share @ probability
        unknown = np.zeros(len(value))
        np.log2(value, out=unknown, where=value > 0)
        return Measured(np.maximum.reduceat(value, self.first), -np.add.reduceat(value * unknown, self.first))


@dataclass(frozen=True)
class OpenPart:
    """The part of an audit that needs the solver, with the names of its cells and constraints."""

    problem: Problem
    cells: pa.Table  # subject_id, place, value: one row per cell, in order
    keys: pa.Array  # constraint_key, in order
    subject_ids: np.ndarray[tuple[int], np.dtype[np.int64]]  # by position


def read(session: Session, audit_id: int) -> OpenPart | None:
    """Build the problem of an audit's open subjects; None where there are none."""
    subjects = session.arrow("read/open_subject", audit_id=audit_id)
    if not subjects.num_rows:
        return None
    session.run("write/cell_position", audit_id=audit_id)
    session.run("write/constraint_position", audit_id=audit_id)
    cells = session.arrow("read/cell")
    constraints = session.arrow("read/constraint")
    terms = session.arrow("read/term", audit_id=audit_id)
    if session.engine.value("statements", "select count(*) from result.audit_statement where audit_id = ?", [audit_id]):
        terms = pa.concat_tables([terms, session.arrow("read/knowledge_term", audit_id=audit_id)])
    if session.engine.value("names", "select count(*) from result.named_person where audit_id = ?", [audit_id]):
        terms = pa.concat_tables([terms, session.arrow("read/place_term", audit_id=audit_id)])
    subject_ids = _numbers(subjects["subject_id"], np.int64)
    prior = _numbers(cells["prior_weight"], np.float64)
    positions = (_numbers(terms["position"], np.int64), _numbers(terms["cell"], np.int64))
    problem = Problem(
        subject=np.searchsorted(subject_ids, _numbers(cells["subject_id"], np.int64)),
        person_count=_numbers(subjects["person_count"], np.float64),
        matrix=sp.csr_array((_numbers(terms["coefficient"], np.float64), positions), shape=(constraints.num_rows, cells.num_rows)),
        lower=_numbers(constraints["lower"], np.float64, absent=-np.inf),
        upper=_numbers(constraints["upper"], np.float64, absent=np.inf),
        prior=None if np.all(prior == 1.0) else prior,
        labels=constraints["constraint_key"].to_pylist(),
        family=_numbers(constraints["family"], np.int64),
        block=_numbers(constraints["block"], np.int64),
    )
    return OpenPart(problem, cells.select(["subject_id", "place", "value"]), constraints["constraint_key"].combine_chunks(), subject_ids)


def idle_rows(part: OpenPart | None) -> pa.Table:
    """The constraints of a problem that count no cell, by key."""
    keys = pa.array([], pa.string()) if part is None else part.keys.filter(pa.array(np.diff(part.problem.matrix.indptr) == 0))
    return pa.table({"constraint_key": keys})


def prices(session: Session, audit_id: int) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """What the constraints of the problem that was just read cost in an earlier audit; 0 where it had no such constraint."""
    return _numbers(session.arrow("read/price", audit_id=audit_id)["multiplier"], np.float64)


def answer(session: Session, audit_id: int) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """The stored probabilities of the cells of the problem that was just read."""
    return _numbers(session.arrow("read/answer", audit_id=audit_id)["probability"], np.float64)


def told(session: Session, audit_id: int, part: OpenPart) -> Told:
    """Of whom the cells of the problem that was just read tell something, and what."""
    session.run("write/place_share", audit_id=audit_id)
    rows = session.arrow("read/told", audit_id=audit_id)
    subject = _numbers(rows["subject_id"], np.int64)
    value = rows["value"].combine_chunks().dictionary_encode().indices.to_numpy()
    is_new = np.r_[True, (subject[1:] != subject[:-1]) | (value[1:] != value[:-1])]
    number = np.cumsum(is_new) - 1
    positions = (number, _numbers(rows["cell"], np.int64))
    share = sp.csr_array((_numbers(rows["weight"], np.float64), positions), shape=(number[-1] + 1, part.problem.cell_count))
    subject_ids, first = np.unique(subject[is_new], return_index=True)
    return Told(subject_ids, _numbers(rows["person_count"], np.float64)[is_new][first], first, share)


def write(session: Session, audit_id: int, part: OpenPart, solution: Solution) -> None:
    """Store the answer and the prices that prove it."""
    solved = part.cells.append_column("probability", pa.array(solution.probability)).append_column("is_forced", pa.array(solution.is_forced))
    lend(session, "solved", solved, lambda: session.run("write/solved_posterior", audit_id=audit_id))
    session.run("write/record_posterior", audit_id=audit_id)
    priced = pa.table({"constraint_key": part.keys, "multiplier": solution.multiplier})
    lend(session, "priced", priced, lambda: session.run("write/multiplier", audit_id=audit_id))


def write_bounds(session: Session, audit_id: int, part: OpenPart, chosen: np.ndarray[tuple[int], np.dtype[np.int64]], tell: Callable[[float], None]) -> None:
    """Work out and store what is certain of one person of each of the chosen subjects (their ids); of a named person, wherever he stands."""
    problem = part.problem
    is_named_place = np.asarray(pc.not_equal(part.cells["place"], ""))
    what = np.flatnonzero(np.isin(part.subject_ids[problem.subject], chosen) & ~is_named_place)
    if len(what):
        lower, upper = bounds(problem, what, progress=lambda progress: tell(progress.done))
        asked = part.cells.take(pa.array(what)).select(["subject_id", "value"])
        _write_bounds(session, audit_id, asked, problem.person_count[problem.subject[what]], lower, upper)
    session.run("write/place_share", audit_id=audit_id)
    sets = session.arrow("read/bound_set")
    if sets.num_rows:
        number, first = np.unique(_numbers(sets["number"], np.int64), return_index=True)
        positions = (_numbers(sets["number"], np.int64), _numbers(sets["cell"], np.int64))
        rows = sp.csr_array((_numbers(sets["weight"], np.float64), positions), shape=(len(number), problem.cell_count))
        lower, upper = bounds(problem, rows, progress=lambda progress: tell(progress.done))
        asked = sets.take(pa.array(first))
        _write_bounds(session, audit_id, asked.select(["subject_id", "value"]), _numbers(asked["person_count"], np.float64), lower, upper)


def _write_bounds(session: Session, audit_id: int, asked: pa.Table, count: np.ndarray, lower: np.ndarray, upper: np.ndarray) -> None:
    # What is certain of a set of n persons alike is not certain of one of them (MATHS 5.6).
    one_lower, one_upper = np.clip(count * lower - (count - 1.0), 0.0, 1.0), np.clip(count * upper, 0.0, 1.0)
    bounded = asked.append_column("lower", pa.array(one_lower)).append_column("upper", pa.array(one_upper))
    lend(session, "bounded", bounded, lambda: session.run("write/solved_bound", audit_id=audit_id))


def lend(session: Session, name: str, table: pa.Table, use: Callable[[], Result]) -> Result:
    """Let a statement read an Arrow table under a name."""
    session.engine.lend(name, table)
    try:
        return use()
    finally:
        session.engine.take_back(name)


def _numbers(column: pa.ChunkedArray, kind: type[np.generic], *, absent: float | None = None) -> np.ndarray:
    """A column as NumPy, refusing what SQL did not deliver as the type that arithmetic needs, and a null where nothing says what it means."""
    if column.null_count:
        if absent is None:
            raise TypeError(f"the store delivered {column.null_count} nulls where numbers were expected")
        column = column.fill_null(absent)
    values: np.ndarray = column.to_numpy()
    if not np.issubdtype(values.dtype, np.number):
        raise TypeError(f"the store delivered {values.dtype} where numbers were expected")
    return values.astype(kind, copy=False)
