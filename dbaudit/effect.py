"""What each statement of an adversary gives away: the same audit without it, statement by statement.

Leaving a constraint out changes only what it is connected with, so that each time only that component is solved again, from the prices
of the audit itself. Nothing is stored.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp
from scipy.sparse.csgraph import connected_components

from dbaudit import problem
from dbaudit.audit import find_audit
from dbaudit.errors import Unanswered, UsageError
from dbaudit.maxent import NotSolved, Problem, solve
from dbaudit.report import plural
from dbaudit.store import Session, Store

Floats = npt.NDArray[np.float64]

_CERTAIN = 1.0 - 1e-9  # the solver's tolerance: a value that is proven has probability 1 to the last digit


@dataclass(frozen=True)
class StatementEffect:
    """What is known only because of a statement: how it would be without it, and whom it hurts most."""

    statement_id: int
    statement: str
    bits: float  # uncertainty that it takes away, summed over persons
    certain_count: int  # persons whose value is certain with it and not without; named persons are among the records and not counted again
    mean_rise: float  # of the probability of the surest guess, over all persons
    largest_rise: float  # the same for the person whom it hurts most
    person: str | None  # who that is; None where it hurts nobody


@dataclass(frozen=True)
class Effect:
    """The statements of an audit, those first that give away most."""

    audit_id: int
    statements: list[StatementEffect]

    @property
    def words(self) -> list[str]:
        """Which statement gives away most, and how many nothing."""
        idle = sum(each.bits <= 0.0 for each in self.statements)
        lines = [f"Audit {self.audit_id}, with each of {plural(len(self.statements), 'statement')} left out in turn; those first that give away most:"]
        if idle:
            lines.append(f"{idle} of them {'gives' if idle == 1 else 'give'} nothing away that the publications and the others do not.")
        return lines

    @property
    def table(self) -> list[dict[str, Any]]:
        """A row for each statement, with what people compare."""
        return [
            {
                "id": each.statement_id,
                "bits": each.bits,
                "certain": each.certain_count,
                "mean_rise": each.mean_rise,
                "largest_rise": each.largest_rise,
                "person": each.person,
                "statement": each.statement,
            }
            for each in self.statements
        ]

    def as_data(self) -> dict[str, Any]:
        """The same for programs."""
        return {"audit_id": self.audit_id, "statements": [asdict(each) for each in self.statements]}


def measure_effect(store: Store, audit_id: int, only: tuple[int, ...] = (), watch: Callable[[str, float | None], None] | None = None) -> Effect:
    """Leave each statement of a solved audit out in turn (or only those named), and tell what it gave away, most first."""
    with store.reading() as session:
        key = find_audit(session, audit_id)
        rows = _statements(session, key, only)
        part = problem.read(session, key)
        if part is None:  # no statement speaks of a value that anybody can have
            return Effect(key, [_nothing(row) for row in rows])
        person_count = session.engine.value("persons", "select person_count from result.audit where audit_id = ?", [key])
        audited = _Audited(part, problem.told(session, key, part), problem.answer(session, key), problem.prices(session, key), person_count)
        effects = []
        for number, row in enumerate(rows):
            if watch is not None:
                watch(f"leaving out knowledge {row['statement_id']}", number / len(rows))
            try:
                change = audited.without(row["constraint_key"])
            except NotSolved as attempt:
                raise Unanswered(
                    f"without knowledge {row['statement_id']} no answer could be certified, so that its effect is not known: {attempt} "
                    "Ask for the others one by one: --only ID"
                ) from attempt
            effects.append(_nothing(row) if change is None else _told(session, key, row, change))
    return Effect(key, sorted(effects, key=lambda each: (-each.bits, each.statement_id)))


@dataclass(frozen=True)
class _Change:
    """How an answer differs without a statement."""

    bits: float
    certain_count: int
    mean_rise: float
    largest_rise: float
    subject_id: int | None


class _Audited:
    """The problem of an audit, with its answer and prices, divided into what is connected."""

    def __init__(self, part: problem.OpenPart, told: problem.Told, probability: Floats, prices: Floats, person_count: int) -> None:
        self._part, self._told, self._probability, self._prices, self._person_count = part, told, probability, prices, person_count
        whole = part.problem
        self._row_of = {key: row for row, key in enumerate(part.keys.to_pylist())}
        of_subject = sp.csr_array((np.ones(whole.cell_count), (np.arange(whole.cell_count), whole.subject)), shape=(whole.cell_count, whole.subject_count))
        touched = abs(whole.matrix) @ of_subject
        _, component = connected_components(sp.block_array([[None, touched], [touched.T, None]]), directed=False)
        self._row_component, self._subject_component = component[: whole.row_count], component[whole.row_count :]

    def without(self, key: str) -> _Change | None:
        """Solve what a statement is connected with again without it; None where it counts nobody."""
        row = self._row_of.get(key)
        whole = self._part.problem
        if row is None or whole.matrix.indptr[row] == whole.matrix.indptr[row + 1]:
            return None
        chosen = self._row_component[row]
        rows = np.flatnonzero((self._row_component == chosen) & (np.arange(whole.row_count) != row))
        subjects = self._subject_component == chosen
        cells = np.flatnonzero(subjects[whole.subject])
        smaller = Problem(
            subject=(np.cumsum(subjects) - 1)[whole.subject[cells]],
            person_count=whole.person_count[subjects],
            matrix=sp.csr_array(whole.matrix[rows][:, cells]),
            lower=whole.lower[rows],
            upper=whole.upper[rows],
            prior=None if whole.prior is None else whole.prior[cells],
            labels=[whole.label(int(each)) for each in rows],
            family=None if whole.family is None else whole.family[rows],
            block=None if whole.block is None else whole.block[rows],
        )
        probability = self._probability.copy()
        probability[cells] = solve(smaller, start=self._prices[rows]).probability
        return self._compare(probability)

    def _compare(self, without: Floats) -> _Change:
        told = self._told
        before, after = told.measure(without), told.measure(self._probability)
        rise = after.surest - before.surest
        worst = int(np.argmax(rise))
        bits = float(((before.bits - after.bits) * told.person_count).sum())
        mean = float((rise * told.person_count).sum() / self._person_count)
        certain = told.person_count[(after.surest >= _CERTAIN) & (before.surest < _CERTAIN)].sum()
        return _Change(
            bits=bits if abs(bits) > 1e-9 * max(1.0, float((before.bits * told.person_count).sum())) else 0.0,
            certain_count=int(certain),
            mean_rise=mean if abs(mean) > 1e-12 else 0.0,
            largest_rise=float(rise[worst]) if rise[worst] > 1e-9 else 0.0,
            subject_id=int(told.subject_ids[worst]) if rise[worst] > 1e-9 else None,
        )


def _statements(session: Session, audit_id: int, only: tuple[int, ...]) -> list[dict[str, Any]]:
    status = session.engine.value("status", "select status from result.audit where audit_id = ?", [audit_id])
    if status != "solved":
        raise UsageError(f"audit {audit_id} has no answer ({status}), so that nothing can be told of its statements.")
    rows = session.rows("read/audit_knowledge", audit_id=audit_id)
    if not rows:
        raise UsageError(f"audit {audit_id} assumed no statement. Let an adversary know something first: dbaudit knowledge add")
    unknown = sorted(set(only) - {row["statement_id"] for row in rows})
    if unknown:
        raise UsageError(f"audit {audit_id} did not assume knowledge {unknown[0]}. See: dbaudit audits show {audit_id}")
    return [row for row in rows if not only or row["statement_id"] in only]


def _told(session: Session, audit_id: int, row: dict[str, Any], change: _Change) -> StatementEffect:
    person = None if change.subject_id is None else session.row("read/subject_example", audit_id=audit_id, subject_id=change.subject_id)["person"]
    return StatementEffect(row["statement_id"], row["statement"], change.bits, change.certain_count, change.mean_rise, change.largest_rise, person)


def _nothing(row: dict[str, Any]) -> StatementEffect:
    return StatementEffect(row["statement_id"], row["statement"], 0.0, 0, 0.0, 0.0, None)
