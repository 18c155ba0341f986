"""What a smallest proof must be, by trying all sets of figures: independent of dbaudit, one unknown per person and value, nothing lumped."""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from dataclasses import dataclass
from random import Random

import numpy as np
from scipy.optimize import linprog

from tests.audit.helpers import Table

Key = tuple[int, int, str]  # release, bucket, value

ANY_OTHER = "something that was never published"


def history(seed: int, persons: int = 5, releases: int = 2, buckets: int = 2, values: int = 3) -> Table:
    """A small history of releases in which some persons are missing now and then."""
    random = Random(seed)
    value = [random.choice("ABCD"[:values]) for _ in range(persons)]
    bucket = [[random.choice([*range(1, buckets + 1)] * 3 + ([None] if release else [])) for _ in range(persons)] for release in range(releases)]
    return Table(["q"] * persons, value, bucket)


@dataclass(frozen=True)
class Figures:
    """Every figure of a history, also those of 0, as rows over one unknown per person and value."""

    table: Table

    @property
    def values(self) -> list[str]:
        return [*sorted(set(self.table.value)), ANY_OTHER]

    def count(self, key: Key) -> int:
        return self.table.counts()[key[0], key[1]][key[2]]

    @property
    def keys(self) -> list[Key]:
        return [(release, bucket, value) for release, bucket in self.table.counts() for value in sorted(set(self.table.value))]

    def row(self, key: Key) -> np.ndarray:
        release, bucket, value = key
        return np.array([float(where == bucket and each == value) for where in self.table.bucket[release] for each in self.values])

    def gap(self, keys: Iterable[Key], person: int, value: str, certain: bool) -> float:
        """How far the probability can be from 1 (or, if not `certain`, from 0), given only these figures."""
        chosen, width, persons = list(keys), len(self.values), len(self.table.value)
        ones = np.kron(np.eye(persons), np.ones(width))
        matrix = np.vstack([ones, *(self.row(key) for key in chosen)])
        target = np.r_[np.ones(persons), [self.count(key) for key in chosen]]
        cost = np.zeros(persons * width)
        cost[person * width + self.values.index(value)] = 1.0 if certain else -1.0
        found = linprog(cost, A_eq=matrix, b_eq=target, bounds=(0, 1), method="highs")
        assert found.status == 0
        return 1.0 - found.fun if certain else -found.fun

    def forces(self, keys: Iterable[Key], person: int, value: str, certain: bool) -> bool:
        return self.gap(keys, person, value, certain) < 1e-7

    def least(self, person: int, value: str, certain: bool) -> int:
        """The size of a smallest set that forces the finding, by trying all that are smaller first."""
        worlds = np.array(list(itertools.product(range(len(self.values)), repeat=len(self.table.value))))
        wrong = (worlds[:, person] == self.values.index(value)) != certain
        worlds = worlds[wrong]
        onehot = (worlds[:, :, None] == np.arange(len(self.values))).reshape(len(worlds), -1)
        # A figure stays while a whole world of persons agrees with it in which the finding is false: no program is needed then.
        agrees = {key: onehot @ self.row(key) == self.count(key) for key in self.keys}
        for size in range(1, len(self.keys) + 1):
            for keys in itertools.combinations(self.keys, size):
                if not np.logical_and.reduce([agrees[key] for key in keys]).any() and self.forces(keys, person, value, certain):
                    return size
        raise AssertionError("nothing forces it")
