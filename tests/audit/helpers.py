"""A desk to work at: rows become files, datasets, releases and audits, and answers come back as plain dictionaries.

Also what is expected of them, found without dbaudit: by enumeration in fractions, by linear programs, and by Clarabel.
"""

from __future__ import annotations

import csv
import itertools
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from hypothesis import strategies as st
from scipy.optimize import linprog

from dbaudit import AuditSpec, DatasetSpec, Outcome, Registered, ReleaseSpec, add_dataset, add_release, run_audit
from dbaudit.engine import Engine
from dbaudit.store import Session, Store
from tests.maxent.oracle import least_divergence

Row = dict[str, Any]
Answer = dict[str, dict[str, float]]  # person: value: probability

ROOT = Path(__file__).resolve().parents[2]
HOSPITAL = ROOT / "fixtures" / "hospital"


class OpenStore(Store):
    """A store that stays open: the same SQL in a fraction of the time. Opening and letting go have tests of their own."""

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self._engine = Engine()
        for name, file in (("audit", self.files.audit), ("original", self.files.original)):
            self._engine.attach(file, name, read_only=False)
        self._engine.run("home", "use audit")
        # Nothing here outlives the test: writing the log to disk once is enough.
        self._engine.run("no checkpoints", "set checkpoint_threshold = '1GB'")

    @contextmanager
    def reading(self, *, truth: bool = False) -> Iterator[Session]:
        yield Session(self._engine)

    @contextmanager
    def writing(self, *, truth: bool = False) -> Iterator[Session]:
        with self._engine.transaction():
            yield Session(self._engine)

    @contextmanager
    def loading(self) -> Iterator[Session]:
        yield Session(self._engine)

    def run(self, statement: str) -> list[tuple[Any, ...]]:
        """Any statement at all."""
        return self._engine.rows("test", statement)

    def close(self) -> None:
        self._engine.close()


# ------------------------------------------------------------------------------------------------ the desk
@dataclass
class Desk:
    """A store, and a folder for the files that it reads."""

    store: Store
    folder: Path
    kind: str = "csv"
    number: Iterator[int] = field(default_factory=lambda: itertools.count(1))

    def file(self, rows: Sequence[Row]) -> Path:
        """A file with these rows; None is an empty field. Parquet needs no guessing of types, which is most of the time of a small CSV file."""
        path = self.folder / f"file{next(self.number)}.{self.kind}"
        if self.kind == "parquet":
            columns = {name: [None if row[name] is None else str(row[name]) for row in rows] for name in rows[0]}
            pq.write_table(pa.table({name: pa.array(column, pa.string()) for name, column in columns.items()}), path)
            return path
        with path.open("w", newline="", encoding="utf-8") as stream:
            writer = csv.DictWriter(stream, list(rows[0]))
            writer.writeheader()
            writer.writerows(rows)
        return path

    def name(self) -> str:
        return f"d{next(self.number)}"

    def dataset(
        self,
        name: str = "patients",
        qi: Sequence[str] = ("q",),
        sensitive: Sequence[str] = ("s",),
        *,
        population: Sequence[Row] = (),
        microdata: Sequence[Row] = (),
        **more: Any,
    ) -> str:
        known: dict[str, Any] = {
            **({"population": self.file(population)} if population else {}),
            **({"microdata": self.file(microdata)} if microdata else {}),
        }
        add_dataset(self.store, DatasetSpec(name, tuple(qi), tuple(sensitive), **known, **more))
        return name

    def release(self, dataset: str, name: str, rows: Sequence[Row], form: str = "bucketized", **more: Any) -> Registered:
        if form != "generalized":
            more.setdefault("bucket", "bucket")
        if form == "anatomy":
            left = [{key: value for key, value in row.items() if key != "s"} for row in rows]
            right = [{"bucket": row["bucket"], "s": row["s"]} for row in rows]
            return add_release(self.store, ReleaseSpec(dataset, name, "anatomy", records=self.file(left), values=self.file(right), **more))
        return add_release(self.store, ReleaseSpec(dataset, name, form, self.file(rows), **more))  # type: ignore[arg-type]

    def publish(self, table: Table, dataset: str | None = None, *, ids: bool = True, form: str = "bucketized", **more: Any) -> str:
        """Declare a dataset and register every release of a table, r1 first."""
        name = self.dataset(dataset or self.name(), id="id" if ids else None, **more)
        for release in table.releases:
            self.release(name, f"r{release + 1}", table.rows(release, ids=ids), form)
        return name

    def audit(self, dataset: str = "patients", **more: Any) -> Outcome:
        return run_audit(self.store, AuditSpec(dataset, **more))

    def rows(self, query: str, *parameters: Any) -> list[Row]:
        with self.store.reading() as session:
            return session.engine.dicts("test", query, list(parameters))

    def posterior(self, audit: int | Outcome) -> Answer:
        return answer_of(self.rows("select person, value, probability from report.posterior where audit_id = ?", _id(audit)))

    def bounds(self, audit: int | Outcome) -> dict[tuple[str, str], tuple[float, float]]:
        rows = self.rows("select person, value, lower, upper from report.posterior where audit_id = ? and lower is not null", _id(audit))
        return {(row["person"], row["value"]): (row["lower"], row["upper"]) for row in rows}

    @contextmanager
    def session(self) -> Iterator[Session]:
        with self.store.reading() as session:
            yield session


def _id(audit: int | Outcome) -> int:
    return audit if isinstance(audit, int) else audit.audit_id


def answer_of(rows: Sequence[Row]) -> Answer:
    found: Answer = defaultdict(dict)
    for row in rows:
        assert row["value"] not in found[row["person"]], "one row per person and value"
        found[row["person"]][row["value"]] = row["probability"]
    return dict(found)


def same(first: Answer, second: Answer, within: float = 1e-9) -> bool:
    """Whether two answers are about the same persons and agree; an absent value has probability 0."""
    return first.keys() == second.keys() and all(
        abs(first[person].get(value, 0.0) - second[person].get(value, 0.0)) <= within for person in first for value in first[person] | second[person]
    )


# ------------------------------------------------------------------------------------------------ what is published
@dataclass(frozen=True)
class Table:
    """Persons with quasi-identifiers and, release by release, a bucket (None: absent) and the value published there."""

    qi: list[str | None]
    value: list[str]
    bucket: list[list[int | None]]  # by release
    other: list[list[str]] | None = None  # by release, where releases contradict each other; else everywhere `value`

    def told(self, release: int) -> list[str]:
        return self.value if self.other is None else self.other[release]

    @property
    def persons(self) -> list[str]:
        return [f"p{number}" for number in range(len(self.value))]

    def members(self, release: int = 0) -> list[int]:
        return [i for i, bucket in enumerate(self.bucket[release]) if bucket is not None]

    def rows(self, release: int = 0, *, ids: bool = True) -> list[Row]:
        """As a file has them. The values of a bucket are sorted, so that their pairing with the persons says nothing."""
        shown: dict[int, list[str]] = defaultdict(list)
        for i in self.members(release):
            shown[self.bucket[release][i]].append(self.told(release)[i])  # type: ignore[index]
        turn = {bucket: iter(sorted(values)) for bucket, values in shown.items()}
        return [
            {**({"id": self.persons[i]} if ids else {}), "q": self.qi[i], "s": next(turn[self.bucket[release][i]]), "bucket": self.bucket[release][i]}  # type: ignore[index]
            for i in self.members(release)
        ]

    def counts(self) -> dict[tuple[int, int], Counter[str]]:
        """The published figures by (release, bucket)."""
        found: dict[tuple[int, int], Counter[str]] = defaultdict(Counter)
        for release, buckets in enumerate(self.bucket):
            for i, bucket in enumerate(buckets):
                if bucket is not None:
                    found[release, bucket][self.told(release)[i]] += 1
        return dict(found)

    @property
    def releases(self) -> range:
        return range(len(self.bucket))


VALUES = ("Flu", "HIV", "Asthma", "Gout")


@st.composite
def tables(draw: st.DrawFn, releases: int = 1, max_persons: int = 7, max_buckets: int = 3, everybody: bool = False) -> Table:
    """Small tables. Everybody appears at least once; nulls among the quasi-identifiers."""
    count = draw(st.integers(1, max_persons))
    value = draw(st.lists(st.sampled_from(VALUES), min_size=count, max_size=count))
    qi = draw(st.lists(st.sampled_from(["a", "b", "c", None]), min_size=count, max_size=count))
    places = st.integers(1, max_buckets)
    bucket: list[list[int | None]] = []
    for release in range(releases):
        absent = st.booleans() if release and not everybody else st.just(False)
        chosen: list[int | None] = [None if draw(absent) and draw(absent) else draw(places) for _ in range(count)]
        if not any(chosen):
            chosen[0] = 1
        bucket.append(chosen)
    return Table(qi, value, bucket)


@st.composite
def contradictions(draw: st.DrawFn, releases: int = 2, max_persons: int = 6) -> Table:
    """Releases whose values were drawn apart: mostly nobody could have published both."""
    table = draw(tables(releases, max_persons, max_buckets=2))
    told = st.lists(st.sampled_from(VALUES[:3]), min_size=len(table.value), max_size=len(table.value))
    return Table(table.qi, table.value, table.bucket, [draw(told) for _ in range(releases)])


# ------------------------------------------------------------------------------------------------ oracles
def worlds(table: Table) -> list[dict[str, str]]:
    """Every assignment of a value to each person that agrees with all figures of all releases, by brute force."""
    counts = table.counts()
    possible = [
        sorted(set.intersection(*(set(counts[release, buckets[i]]) for release, buckets in enumerate(table.bucket) if buckets[i] is not None)))  # type: ignore[index]
        for i in range(len(table.value))
    ]
    found = []
    for world in itertools.product(*possible):
        if Table(table.qi, list(world), table.bucket).counts() == counts:
            found.append(dict(zip(table.persons, world, strict=True)))
    return found


def shares(table: Table) -> dict[str, dict[str, Fraction]]:
    """How often each person has each value among all worlds, each counting the same."""
    everything = worlds(table)
    found: dict[str, dict[str, Fraction]] = {person: defaultdict(Fraction) for person in table.persons}
    for world in everything:
        for person, value in world.items():
            found[person][value] += Fraction(1, len(everything))
    return found


@dataclass(frozen=True)
class Program:
    """Each person a row of unknowns, without lumping: `figures` are (persons, value, count), `possible` the values of each person."""

    possible: dict[str, list[str]]
    figures: list[tuple[list[str], str, int]]

    @property
    def cells(self) -> list[tuple[str, str]]:
        return [(person, value) for person, values in self.possible.items() for value in values]

    def matrix(self) -> tuple[np.ndarray, np.ndarray]:
        cells = self.cells
        lines = [[float(cell[0] == person) for cell in cells] for person in self.possible]
        lines += [[float(cell[0] in persons and cell[1] == value) for cell in cells] for persons, value, _ in self.figures]
        return np.array(lines), np.array([1.0] * len(self.possible) + [float(count) for *_, count in self.figures])

    def extremes(self) -> dict[tuple[str, str], tuple[float, float]]:
        """The least and the greatest probability of each cell over everything that agrees (HiGHS)."""
        matrix, target = self.matrix()
        found = {}
        for k, cell in enumerate(self.cells):
            cost = np.zeros(len(self.cells))
            cost[k] = 1.0
            least, most = (linprog(sign * cost, A_eq=matrix, b_eq=target, bounds=(0, 1), method="highs") for sign in (1, -1))
            found[cell] = (least.fun, -most.fun)
        return found

    def is_feasible(self) -> bool:
        if not all(self.possible.values()):
            return False
        matrix, target = self.matrix()
        return linprog(np.zeros(len(self.cells)), A_eq=matrix, b_eq=target, bounds=(0, 1), method="highs").status == 0

    def excluded(self) -> set[tuple[str, str]]:
        """The cells that are 0 in everything that agrees: fill as many as possible, until those left cannot hold anything even together."""
        matrix, target = self.matrix()
        left = np.ones(len(self.cells), dtype=bool)
        while left.any():
            answer = linprog(-left.astype(float), A_eq=matrix, b_eq=target, bounds=(0, 1), method="highs")
            filled = left & (answer.x > 1e-7)
            if not filled.any():
                break
            left &= ~filled
        return {cell for cell, is_left in zip(self.cells, left, strict=True) if is_left}

    def certain(self) -> dict[tuple[str, str], float]:
        """The cells that are 0, or 1, in everything that agrees: whoever has one value left has that one."""
        zero = self.excluded()
        left = {person: [value for value in values if (person, value) not in zero] for person, values in self.possible.items()}
        return dict.fromkeys(zero, 0.0) | {(person, values[0]): 1.0 for person, values in left.items() if len(values) == 1}

    def most_uncertain(self) -> tuple[Answer, float]:
        """The answer of maximum entropy by Clarabel, on the cells that a linear program does not exclude; and its entropy in bits."""
        zero = self.excluded()
        open_cells = [cell for cell in self.cells if cell not in zero]
        matrix, target = self.matrix()
        part = matrix[:, [self.cells.index(cell) for cell in open_cells]]
        unknown, *_ = least_divergence(np.zeros(len(open_cells)), np.zeros((0, len(open_cells))), np.zeros(0), part, target, 1e-11)
        found: Answer = {person: dict.fromkeys(values, 0.0) for person, values in self.possible.items()}
        for (person, value), probability in zip(open_cells, unknown, strict=True):
            found[person][value] = float(probability)
        return found, entropy_bits(found)


def relaxed_program(le: np.ndarray, le_to: np.ndarray, eq: np.ndarray, eq_to: np.ndarray) -> dict[str, Any]:
    """What SciPy's linprog takes. A figure of twelve digits may miss the boundary that it means by their rounding."""
    return {"A_ub": np.vstack([le, eq, -eq]), "b_ub": np.r_[le_to + 1e-10, eq_to + 1e-10, -eq_to + 1e-10], "bounds": (0, 1), "method": "highs"}


def most_uncertain_point(le: np.ndarray, le_to: np.ndarray, eq: np.ndarray, eq_to: np.ndarray) -> np.ndarray | None:
    """[cells] Clarabel's answer under inequalities and equations on the cells that no linear program excludes, 0 on the others; None where nothing agrees."""
    relaxed = relaxed_program(le, le_to, eq, eq_to)
    left = np.ones(eq.shape[1], dtype=bool)
    while left.any():
        answer = linprog(-left.astype(float), **relaxed)
        if answer.status == 2:
            return None
        filled = left & (answer.x > 1e-7)
        if not filled.any():
            break
        left &= ~filled
    kept = np.flatnonzero(~left)
    point = np.zeros(len(left))
    point[kept], *_ = least_divergence(np.zeros(len(kept)), le[:, kept], le_to + 1e-12, eq[:, kept], eq_to, 1e-11)
    return point


def program_of(table: Table) -> Program:
    counts = table.counts()
    possible = {}
    for i, person in enumerate(table.persons):
        seen = [set(counts[release, buckets[i]]) for release, buckets in enumerate(table.bucket) if buckets[i] is not None]  # type: ignore[index]
        possible[person] = sorted(set.intersection(*seen))
    figures = [
        ([table.persons[i] for i, where in enumerate(table.bucket[release]) if where == bucket], value, count)
        for (release, bucket), values in counts.items()
        for value, count in values.items()
    ]
    return Program(possible, figures)


def entropy_bits(answer: Answer) -> float:
    return sum(-p * float(np.log2(p)) for values in answer.values() for p in values.values() if p > 0)
