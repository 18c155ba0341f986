"""The part of an audit around one person, ring by ring, as facts over the values that the persons there might have."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import scipy.sparse as sp

from dbaudit.maxent.reason import Claim
from dbaudit.store import Session

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
Bools = npt.NDArray[np.bool_]

# How far the expected number of persons may lie from the end of a range and still be called its end: well above the certificate, well below a person.
_TIGHT = 1e-6


@dataclass(frozen=True)
class Bucket:
    """A bucket of a release by name; `position` is the release's place in the order of publication."""

    bucket_id: int
    release: str
    position: int
    bucket: str
    member_count: int


@dataclass(frozen=True)
class Figure:
    """What a bucket says of one value: so many have it. Between `least` and `most` persons where the bucket mixes finer and coarser values."""

    bucket: Bucket
    value: str
    count: int
    least: int
    most: int


@dataclass(frozen=True, eq=False)
class Surroundings:
    """Everybody in the buckets up to some distance, and all that was published of them.

    subject_ids, person_count  [subjects]
    subject, leaf, probability [cells] every value that a bucket of the subject lists; leaf indexes `values`
    matrix                     [facts x cells]
    bucket_of, value_of        [facts] index `buckets`; index `values`
    is_absent                  [facts] whether the bucket lists nothing of the value
    distance                   [buckets] steps from the person; the outermost, where only some of the members are known here, have distance `radius` + 1
    is_complete                whether nobody beyond is connected with anybody here
    """

    subject_ids: Ints
    person_count: Ints
    subject: Ints
    leaf: Ints
    probability: Floats
    matrix: sp.csr_array
    bucket_of: Ints
    value_of: Ints
    is_absent: Bools
    values: list[str]
    buckets: list[Bucket]
    distance: Ints
    radius: int
    figures: dict[tuple[int, str], Figure]
    expected: dict[tuple[int, str], float]

    @property
    def is_complete(self) -> bool:
        return bool((self.distance <= self.radius).all())

    @cached_property
    def facts(self) -> list[Figure]:
        """[facts] with their names."""
        return [
            Figure(bucket, value, 0, 0, 0) if absent else self.figures[bucket.bucket_id, value]
            for bucket, value, absent in zip(
                (self.buckets[i] for i in self.bucket_of.tolist()), (self.values[i] for i in self.value_of.tolist()), self.is_absent.tolist(), strict=True
            )
        ]

    def cells_of(self, subject_id: int, leaves: Sequence[str]) -> Ints:
        """The cells of a subject that are among some values."""
        wanted = [number for number, value in enumerate(self.values) if value in set(leaves)]
        return np.flatnonzero((self.subject_ids[self.subject] == subject_id) & np.isin(self.leaf, wanted))

    def position_of(self, keys: Sequence[tuple[int, str]]) -> Ints:
        """[keys] the facts with these buckets and values."""
        place = {(fact.bucket.bucket_id, fact.value): number for number, fact in enumerate(self.facts)}
        return np.array([place[key] for key in keys], dtype=np.int64)

    def claim(self, target: Ints, direction: int) -> Claim:
        """That these cells cannot gain (1) or lose (-1) a person."""
        least = np.array([fact.least for fact in self.facts], dtype=np.float64)
        most = np.array([fact.most for fact in self.facts], dtype=np.float64)
        expected = np.array([self.expected.get((fact.bucket.bucket_id, fact.value), 0.0) for fact in self.facts])
        distance = self.distance[self.bucket_of]
        may_fall, may_rise = expected > least + _TIGHT, expected < most - _TIGHT
        return Claim(
            subject=self.subject,
            is_positive=self.probability > 0,
            matrix=self.matrix,
            may_rise=may_rise,
            may_fall=may_fall,
            target=target,
            direction=direction,
            distance=distance,
            is_whole=distance <= self.radius,
        )


class Neighbourhood:
    """Rings around a subject; each is read once."""

    def __init__(self, session: Session, audit_id: int, subject_id: int, leaves: Sequence[str]) -> None:
        """Begin with the subject alone, of whom it is asked whether he has one of some values."""
        self._session, self._audit_id = session, audit_id
        self._subject_id, self._leaves = subject_id, list(leaves)
        self._subjects = np.array([subject_id])
        self._buckets = np.zeros(0, dtype=np.int64)
        self._distance = np.zeros(0, dtype=np.int64)
        self.radius = -1

    @property
    def subject_count(self) -> int:
        """Subjects within."""
        return len(self._subjects)

    def grow(self) -> bool:
        """Take in all buckets of those who are within, and everybody in these; whether anything was added."""
        near = self._session.arrow("read/explain_neighbour", audit_id=self._audit_id, subjects=self._subjects.tolist())
        buckets, subjects = (np.unique(near[name].to_numpy()).astype(np.int64) for name in ("bucket_id", "subject_id"))
        added = np.setdiff1d(buckets, self._buckets)
        if not len(added):
            return False
        self.radius += 1
        order = np.argsort(np.r_[self._buckets, added])
        self._distance = np.r_[self._distance, np.full(len(added), self.radius)][order]
        self._buckets, self._subjects = np.r_[self._buckets, added][order], subjects
        return True

    def surroundings(self) -> Surroundings:
        """What was published of everybody within."""
        session, audit_id = self._session, self._audit_id
        terms = session.arrow("read/explain_term", audit_id=audit_id, subjects=self._subjects.tolist(), subject_id=self._subject_id, leaves=self._leaves)
        bucket_ids, bucket_of_term = np.unique(terms["bucket_id"].to_numpy(), return_inverse=True)
        distance = np.full(len(bucket_ids), self.radius + 1)
        distance[np.isin(bucket_ids, self._buckets)] = self._distance[np.isin(self._buckets, bucket_ids)]
        figures = session.rows("read/explain_figure", audit_id=audit_id, buckets=bucket_ids.tolist())
        sizes = session.arrow("read/explain_size", audit_id=audit_id, subjects=self._subjects.tolist())
        values, leaf_of_term, value_of_term = _coded(terms["leaf"], terms["value"])
        subject_of_term = np.searchsorted(self._subjects, terms["subject_id"].to_numpy())
        absent = terms["is_absent"].to_numpy(zero_copy_only=False)
        cells, first, cell_of_term = np.unique(subject_of_term * len(values) + leaf_of_term, return_index=True, return_inverse=True)
        facts, fact_first, fact_of_term = np.unique(bucket_of_term * len(values) + value_of_term, return_index=True, return_inverse=True)
        buckets, named, expected = _named(figures)
        return Surroundings(
            subject_ids=self._subjects,
            person_count=sizes["person_count"].to_numpy().astype(np.int64),
            subject=cells // len(values),
            leaf=cells % len(values),
            probability=terms["probability"].to_numpy()[first],
            matrix=sp.csr_array((np.ones(len(fact_of_term)), (fact_of_term, cell_of_term)), shape=(len(facts), len(cells))),
            bucket_of=facts // len(values),
            value_of=facts % len(values),
            is_absent=absent[fact_first],
            values=values,
            buckets=[buckets[int(key)] for key in bucket_ids],
            distance=distance,
            radius=self.radius,
            figures=named,
            expected=expected,
        )


def _named(rows: list[dict[str, Any]]) -> tuple[dict[int, Bucket], dict[tuple[int, str], Figure], dict[tuple[int, str], float]]:
    buckets: dict[int, Bucket] = {}
    figures: dict[tuple[int, str], Figure] = {}
    for row in rows:
        key = row["bucket_id"]
        bucket = buckets.setdefault(key, Bucket(key, row["release"], row["position"], row["bucket"], row["member_count"]))
        figures[key, row["value"]] = Figure(bucket, row["value"], row["value_count"], row["least"], row["most"])
    return buckets, figures, {(row["bucket_id"], row["value"]): row["expected"] for row in rows}


def _coded(*columns: pa.ChunkedArray) -> tuple[Any, ...]:
    """All texts of some columns in order, and for each column where its texts stand there."""
    encoded = [column.combine_chunks().dictionary_encode() for column in columns]
    texts = sorted({text for each in encoded for text in each.dictionary.to_pylist()})
    place = {text: number for number, text in enumerate(texts)}
    codes = [np.array([place[text] for text in each.dictionary.to_pylist()], dtype=np.int64)[each.indices.to_numpy()] for each in encoded]
    return texts, *codes
