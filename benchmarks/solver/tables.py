"""Where the workloads' records come from: the UCI Adult file, or a generated twin that needs no file."""

from __future__ import annotations

import csv
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
from scipy.special import softmax

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

DEFAULT_ADULT = Path(__file__).resolve().parents[3] / "shared" / "data" / "adult" / "adult.csv"
COLUMNS = (
    "age",
    "workclass",
    "education",
    "marital-status",
    "occupation",
    "relationship",
    "race",
    "sex",
    "native-country",
    "salary-class",
)


@dataclass(frozen=True)
class Table:
    """Records as whole numbers: the code of a value is its rank by name within its column."""

    name: str
    codes: dict[str, Ints]
    names: dict[str, list[str]]

    @property
    def row_count(self) -> int:
        return len(self.codes[COLUMNS[0]])

    def size(self, column: str) -> int:
        return len(self.names[column])


def adult(path: Path | str | None = None) -> Table:
    """The rows of Adult without a question mark, in the file's order: 30,162 in the training part."""
    with Path(path or DEFAULT_ADULT).open(newline="", encoding="utf-8") as lines:
        records = [record for record in csv.DictReader(lines) if all(record[column] != "?" for column in COLUMNS)]
    codes, names = {}, {}
    for column in COLUMNS:
        values, code = np.unique(np.array([record[column] for record in records]), return_inverse=True)
        codes[column], names[column] = code.astype(np.int64), [str(value) for value in values]
    return Table("adult", codes, names)


def adult_or_twin() -> Table:
    return adult() if DEFAULT_ADULT.exists() else census_twin()


# Shares of the values of each column, roughly Adult's; the rare rest dwindles from the last number.
_SHARES: dict[str, tuple[list[float], int]] = {
    "sex": ([67, 33], 2),
    "race": ([86, 9, 3, 1, 0.8], 5),
    "native-country": ([91, 2, 0.6, 0.4, 0.35, 0.3, 0.25, 0.2], 41),
    "education": ([32, 22, 17, 5.4, 4.3, 3.5, 3.3, 2.7, 1.9, 1.8, 1.5, 1.3, 1.2, 0.9, 0.5, 0.15], 16),
    "marital-status": ([47, 32, 14, 3.1, 2.7, 1.2, 0.07], 7),
    "relationship": ([41, 26, 15, 11, 4.6, 2.9], 6),
    "workclass": ([74, 8.3, 6.9, 4.2, 3.5, 3.1, 0.05], 7),
    "occupation": ([13.4, 13.4, 13.2, 12.3, 11.9, 10.6, 6.5, 5.2, 4.5, 4.4, 3.3, 3, 2.1, 0.5], 14),
    "salary-class": ([75, 25], 2),
}
# Which earlier columns a column leans on, and how strongly (the spread of the log-odds that a parent's value adds).
_PARENTS: dict[str, dict[str, float]] = {
    "sex": {},
    "race": {},
    "native-country": {"race": 1.6},
    "education": {"generation": 0.7, "native-country": 0.5},
    "marital-status": {"generation": 1.3, "sex": 0.6},
    "relationship": {"marital-status": 3.0, "sex": 1.2, "generation": 0.4},
    "workclass": {"education": 0.5, "generation": 0.3},
    "occupation": {"education": 0.9, "sex": 0.6, "workclass": 0.6},
    "salary-class": {"education": 0.7, "marital-status": 1.0, "occupation": 0.5, "generation": 0.6, "sex": 0.4},
}


def census_twin(row_count: int = 30_162, seed: int = 1) -> Table:
    """A stand-in for Adult: the same columns, like domain sizes and skew, and dependent columns.

    A log-linear network: each column adds to its own log-shares one random number for each value of each parent. The numbers are
    drawn from a stream of their own, so that tables of any length and seed are dependent in the same way. The log-shares are
    then shifted until the column has its shares again: without that the dependence would make frequent values more frequent still.
    """
    nature, draw = np.random.default_rng(1994), np.random.default_rng(seed)
    age = np.clip(np.round(17 + draw.gamma(2.3, 9.3, row_count)), 17, 90).astype(np.int64)
    drawn: dict[str, Ints] = {"generation": (age - 17) // 10}
    for column, parents in _PARENTS.items():
        shares, size = _SHARES[column]
        share = np.array(shares + [shares[-1] * 0.9**k for k in range(1, size - len(shares) + 1)])
        share = share / share.sum()
        logit = np.tile(np.log(share), (row_count, 1))
        for parent, strength in parents.items():
            logit += nature.normal(0, strength, (64, size))[drawn[parent]]
        for _ in range(10):
            logit += np.log(share / softmax(logit, axis=1).mean(axis=0))
        drawn[column] = np.argmax(logit + draw.gumbel(size=(row_count, size)), axis=1).astype(np.int64)
    drawn["age"] = age
    codes, names = {}, {}
    for column in COLUMNS:
        values, code = np.unique(drawn[column], return_inverse=True)
        codes[column], names[column] = code.astype(np.int64), [f"{value:02d}" for value in values]
    return Table("twin", codes, names)
