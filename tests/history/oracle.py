"""Figure 1 of Re-publishing without dbaudit: the files read with csv, the answer found by linear programs and by Clarabel."""

from __future__ import annotations

import csv
from collections import Counter, defaultdict
from dataclasses import dataclass
from functools import cache

from tests.audit.helpers import HOSPITAL, Answer, Program, entropy_bits


@dataclass(frozen=True)
class Truth:
    """What some releases give away."""

    answer: Answer
    certain: dict[str, str]

    @property
    def entropy_bits(self) -> float:
        return entropy_bits(self.answer)

    @property
    def worst(self) -> float:
        return max(probability for values in self.answer.values() for probability in values.values())

    def of(self, persons: set[str]) -> float:
        return entropy_bits({person: values for person, values in self.answer.items() if person in persons})


@cache
def figure_1(*releases: str) -> Truth:
    """All patients who stand in one of the releases, nobody lumped together."""
    figures: list[tuple[list[str], str, int]] = []
    possible: dict[str, set[str]] = {}
    for release in releases:
        members: dict[str, list[str]] = defaultdict(list)
        values: dict[str, Counter[str]] = defaultdict(Counter)
        with (HOSPITAL / f"{release}.csv").open(encoding="utf-8") as stream:
            for row in csv.DictReader(stream):
                members[row["bucket"]].append(row["pseudonym"])
                values[row["bucket"]][row["disease"]] += 1
        for bucket, persons in members.items():
            figures += [(persons, value, count) for value, count in values[bucket].items()]
            for person in persons:
                possible[person] = possible.get(person, set(values[bucket])) & set(values[bucket])
    program = Program({person: sorted(values) for person, values in possible.items()}, figures)
    certain = {person: value for (person, value), (least, _) in program.extremes().items() if least > 1 - 1e-7}
    return Truth(program.most_uncertain()[0], certain)
