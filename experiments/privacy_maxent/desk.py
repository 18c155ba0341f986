"""Adult as the paper may have used it, and a desk with a store in which it is published, mined and audited."""

from __future__ import annotations

import csv
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import combinations
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pyarrow as pa

from benchmarks.solver.tables import Ints, Table
from dbaudit import AuditSpec, DatasetSpec, Mined, MiningSpec, ReleaseSpec, Store, add_adversary, add_dataset, add_release, mine_rules, problem, run_audit
from dbaudit.maxent import Problem

QUASI_IDENTIFIERS = ("age", "workclass", "marital-status", "relationship", "race", "sex", "native-country", "salary-class")
SENSITIVE = "education"
BUCKET_SIZE = 5
RULES = Path(__file__).with_name("rules.sql").read_text(encoding="utf-8")
ACCURACY = "select value from result.metric where audit_id = ? and metric = 'estimation_accuracy'"

Row = dict[str, Any]
Rule = tuple[int, bool, str, bool, str]  # its key, is it positive, the value, is its confidence 1, the condition


@dataclass(frozen=True)
class Records:
    """Rows as text, quasi-identifiers first and the sensitive value last, sorted by it; and how many buckets they were dealt into, row by row."""

    source: str
    rows: list[list[str]]
    bucket_count: int
    chosen_count: int  # of these buckets, the first so many count

    @classmethod
    def distinct(cls, table: Table, record_count: int) -> Records:
        """The stand-in: the distinct rows in the order of all columns, at most so many."""
        return cls._dealt(table, np.unique(_columns(table), axis=0)[:record_count])

    @classmethod
    def drawn(cls, table: Table, record_count: int, seed: int) -> Records:
        """So many rows at random: equal rows stay."""
        columns = _columns(table)
        return cls._dealt(table, columns[np.sort(np.random.default_rng(seed).permutation(len(columns))[:record_count])])

    @classmethod
    def _dealt(cls, table: Table, columns: Ints) -> Records:
        columns = columns[: len(columns) // BUCKET_SIZE * BUCKET_SIZE]
        columns = columns[np.argsort(columns[:, -1], kind="stable")]
        names = [table.names[name] for name in (*QUASI_IDENTIFIERS, SENSITIVE)]
        bucket_count = len(columns) // BUCKET_SIZE
        return cls(table.name, [[name[code] for name, code in zip(names, row, strict=True)] for row in columns], bucket_count, bucket_count)

    def first(self, bucket_count: int) -> Records:
        """The records of the first so many buckets."""
        return replace(self, chosen_count=bucket_count)

    @property
    def count(self) -> int:
        """How many records there are."""
        return BUCKET_SIZE * self.chosen_count

    @property
    def tuple_count(self) -> int:
        """How many different quasi-identifiers."""
        return len({tuple(row[:-1]) for row in self.rows})

    @property
    def shares(self) -> list[tuple[str, float]]:
        """The sensitive values by frequency."""
        values, counts = np.unique([row[-1] for row in self.rows], return_counts=True)
        return sorted(((str(value), count / len(self.rows)) for value, count in zip(values, counts, strict=True)), key=lambda pair: -pair[1])

    @property
    def repeated(self) -> dict[str, int]:
        """The values that some bucket holds more than once, and how many such buckets there are."""
        inside: dict[tuple[int, str], int] = {}
        for number, row in enumerate(self.rows):
            key = (number % self.bucket_count, row[-1])
            inside[key] = inside.get(key, 0) + 1
        found: dict[str, int] = {}
        for (_, value), count in inside.items():
            if count > 1:
                found[value] = found.get(value, 0) + 1
        return found

    def write(self, path: Path) -> Path:
        """The records with their buckets."""
        with path.open("w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file)
            writer.writerow([*QUASI_IDENTIFIERS, SENSITIVE, "bucket"])
            writer.writerows([*row, k % self.bucket_count] for k, row in enumerate(self.rows) if k % self.bucket_count < self.chosen_count)
        return path


def _columns(table: Table) -> Ints:
    return np.column_stack([table.codes[name] for name in (*QUASI_IDENTIFIERS, SENSITIVE)])


@dataclass
class Audited:
    """An audit's row, its estimation accuracy (nan where it was not asked for) and the CPU seconds of the whole."""

    row: Row
    accuracy: float
    cpu: float


@dataclass(frozen=True)
class Desk:
    """A store with one bucketized release of some records, and their truth."""

    store: Store

    @classmethod
    @contextmanager
    def of(cls, records: Records) -> Iterator[Desk]:
        """A new one, for as long as it is needed."""
        with TemporaryDirectory() as folder:
            file = records.write(Path(folder) / "records.csv")
            store = Store.create(Path(folder) / "experiment.duckdb")
            add_dataset(store, DatasetSpec("adult", QUASI_IDENTIFIERS, (SENSITIVE,), microdata=file))
            add_release(store, ReleaseSpec("adult", name="release", form="bucketized", file=file, bucket="bucket"))
            yield cls(store)

    def mine(self, adversary: str, positive: int, negative: int, min_support: int = 3, attributes: int | None = None) -> Mined:
        """Let a new adversary know the strongest rules."""
        add_adversary(self.store, adversary)
        return mine_rules(self.store, "adult", MiningSpec(positive, negative, min_support, attributes), adversary)

    def audit(self, adversary: str, positive: int, negative: int, *, full_model: bool = False, accuracy: bool = True) -> Audited:
        """Audit with so many of an adversary's strongest rules."""
        begin = time.process_time()
        row = run_audit(self.store, AuditSpec("adult", adversary=adversary, mined=(positive, negative), full_model=full_model, accuracy=accuracy)).row
        cpu = time.process_time() - begin
        if row["status"] != "solved":
            raise SystemExit(f"the audit with {positive} positive and {negative} negative rules was not solved: {row['message']}")
        if not accuracy:
            return Audited(row, float("nan"), cpu)
        with self.store.reading() as session:
            return Audited(row, float(session.engine.value("accuracy", ACCURACY, [row["audit_id"]])), cpu)

    def problem(self, audit: Row) -> Problem | None:
        """What the solver was given in an audit; None where nothing was left to it."""
        with self.store.reading() as session:
            part = problem.read(session, audit["audit_id"])
            return None if part is None else part.problem

    def rules(self, adversary: str) -> list[Rule]:
        """An adversary's rules, positive ones first, strongest first."""
        with self.store.reading() as session:
            return session.engine.rows("rules", RULES, {"adversary": adversary})

    def rank_again(self, adversary: str, order: Callable[[list[Rule]], list[Rule]]) -> None:
        """Put an adversary's rules of each kind into another order; those that are not in it are forgotten."""
        rules = self.rules(adversary)
        kinds = [order([rule for rule in rules if rule[1] is is_positive]) for is_positive in (True, False)]
        ranking = {"rule_id": [rule[0] for kind in kinds for rule in kind], "place": [place for kind in kinds for place in range(1, len(kind) + 1)]}
        with self.store.writing() as session:
            session.engine.lend("ranking", pa.table(ranking))
            session.engine.run("forget", "delete from adversary.rule where adversary = ? and rule_id not in (select rule_id from ranking)", [adversary])
            session.engine.run("rank", "update adversary.rule as r set rank = k.place from ranking as k where r.rule_id = k.rule_id")
            session.engine.take_back("ranking")
            session.run("write/sweep_rule_item")


def is_new(rules: list[Rule]) -> list[bool]:
    """For each rule of one kind whether it says something that no rule with confidence 1 before it says already.

    Such a rule has a part of its condition, and the same value; all of them come before it, being about at least as many persons.
    """
    sure = {(rule[2], rule[4]) for rule in rules if rule[3]}
    found = []
    for _, _, value, is_sure, condition in rules:
        items = condition.split("|")
        parts = (part for size in range(1, len(items)) for part in combinations(items, size))
        found.append(not (is_sure and any((value, "|".join(part)) in sure for part in parts)))
    return found


def without_followers(rules: list[Rule]) -> list[Rule]:
    """Only the rules that say something new."""
    return [rule for rule, new in zip(rules, is_new(rules), strict=True) if new]


def ties_at_random(rules: list[Rule]) -> list[Rule]:
    """Rules with confidence 1 in random order, then the others as they were."""
    sure = [rule for rule in rules if rule[3]]
    order = np.random.default_rng(1).permutation(len(sure))
    return [sure[k] for k in order] + [rule for rule in rules if not rule[3]]
