"""Adult as the paper may have used it, and a desk with a store on which releases of it are published and audited."""

from __future__ import annotations

import csv
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from dbaudit import AuditSpec, DatasetSpec, PublishSpec, Store, add_dataset, make_release, publish_release, run_audit

# The paper uses "the categorical attributes of Adults" and does not say which one is sensitive.
QUASI_IDENTIFIERS = ("workclass", "education", "marital-status", "relationship", "race", "sex", "native-country", "salary-class")
SENSITIVE = "occupation"
ENTROPY = Path(__file__).with_name("entropy.sql").read_text(encoding="utf-8")

Ints = np.ndarray[tuple[int], np.dtype[np.int64]]
Row = dict[str, Any]


@dataclass(frozen=True)
class Adult:
    """The complete rows of the table; a person's id is the number of the row in the file, header not counted."""

    ids: list[str]
    rows: list[list[str]]  # quasi-identifiers, then the sensitive value

    @classmethod
    def read(cls, path: Path) -> Adult:
        """Rows without a question mark."""
        with path.open(encoding="utf-8", newline="") as file:
            complete = [(number, row) for number, row in enumerate(csv.DictReader(file), 1) if "?" not in row.values()]
        columns = (*QUASI_IDENTIFIERS, SENSITIVE)
        return cls([str(number) for number, _ in complete], [[row[column] for column in columns] for _, row in complete])

    @property
    def values(self) -> np.ndarray:
        """The sensitive value of each row."""
        return np.array([row[-1] for row in self.rows])

    def most_frequent(self) -> dict[str, float]:
        """For each column the share of its most frequent value: l-diversity needs one part in l at most."""
        columns = zip((*QUASI_IDENTIFIERS, SENSITIVE), zip(*self.rows, strict=True), strict=True)
        return {name: max(Counter(column).values()) / len(self.rows) for name, column in columns}

    def write(self, path: Path, chosen: Ints) -> Path:
        """Some rows as microdata."""
        with path.open("w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file)
            writer.writerow(["id", *QUASI_IDENTIFIERS, SENSITIVE])
            writer.writerows([self.ids[k], *self.rows[k]] for k in chosen)
        return path


@dataclass(frozen=True)
class Desk:
    """A store, and a folder for what is published."""

    store: Store
    folder: Path

    @classmethod
    def at(cls, folder: Path) -> Desk:
        """A new one."""
        return cls(Store.create(folder / "experiment.duckdb"), folder)

    def dataset(self, name: str) -> str:
        """Declare Adult under a name of its own."""
        add_dataset(self.store, DatasetSpec(name, QUASI_IDENTIFIERS, (SENSITIVE,), id="id"))
        return name

    def publish(self, dataset: str, microdata: Path, name: str, method: str, diversity: int, seed: int, after: str | None = None) -> Row:
        """Anonymise, register and publish; returns the figures of what was done."""
        spec = PublishSpec(dataset, microdata, self.folder / f"{dataset}-{name}.csv", method, diversity, after, seed, name)  # type: ignore[arg-type]
        row = make_release(self.store, spec).row
        publish_release(self.store, dataset, name)
        return row

    def audit(self, dataset: str, releases: tuple[str, ...]) -> Row:
        """Audit some releases: the audit's row."""
        outcome = run_audit(self.store, AuditSpec(dataset, releases))
        if outcome.row["status"] != "solved":
            raise SystemExit(f"the audit of {', '.join(releases)} of {dataset} was not solved: {outcome.row['message']}")
        return outcome.row

    def entropy(self, audit: Row, first: str, second: str) -> Row:
        """What an audit leaves unknown of the persons of two releases."""
        with self.store.reading() as session:
            (row,) = session.engine.dicts("entropy", ENTROPY, {"audit_id": audit["audit_id"], "first": first, "second": second})
            return row

    def posterior(self, audit: Row) -> dict[tuple[str, str], float]:
        """The answer of an audit by person and value, without what is impossible."""
        query = "select person, value, probability from report.posterior where audit_id = ? and probability > 0"
        with self.store.reading() as session:
            return {(person, value): probability for person, value, probability in session.engine.rows("posterior", query, [audit["audit_id"]])}
