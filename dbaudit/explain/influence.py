"""On which buckets a probability depends: leave out all that one says, solve again, and see what becomes of it.

A single figure of a bucket is implied by the others, so that a bucket is left out as a whole: its counts, and that it lists nothing else. Everybody else's
figures stay. The solver begins at the prices of the audit, which most figures keep.

Where too many persons are connected, those far away are held at the prices that the audit found for them, which is exact as long as nothing
changes there, and close where changes fade with distance. It cannot see that a bucket is implied by all others together, as where two releases
have exactly the same persons; the explanation says that it is approximate.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from dbaudit.explain.surroundings import Bools, Bucket, Floats, Ints, Neighbourhood, Surroundings
from dbaudit.maxent import MaxentError, Problem, solve
from dbaudit.store import Session

# Connected persons beyond so many cells are held where they are.
MAX_CELLS = 20_000
# So many buckets, the nearest ones, are left out in turn.
MAX_TRIED = 30
# A smaller change is the solver's own error.
NOTHING = 1e-7


@dataclass(frozen=True)
class Influence:
    """What becomes of a probability if a bucket had never been published; `change` is that less what it is now."""

    release: str
    bucket: str
    probability_without: float
    change: float

    def as_data(self) -> dict[str, Any]:
        """The same for programs."""
        return asdict(self)

    @property
    def words(self) -> str:
        """How much lower or higher."""
        return f"{abs(self.change):.4f} {'lower' if self.change < 0 else 'higher'}"


def leave_out(session: Session, audit_id: int, subject_id: int, leaves: Sequence[str], top: int) -> tuple[tuple[Influence, ...], tuple[str, ...]]:
    """The buckets without which the probability that a subject's persons have one of some values changes most, and what to know about that."""
    around = _affected(Neighbourhood(session, audit_id, subject_id, leaves))
    if around is None:
        return (), ("Nothing was published of this person: every value that is known to be possible is as probable as the others.",)
    domain_size = int(session.engine.value("domain", "select count(*) from model.domain where audit_id = ?", [audit_id]))
    buckets = [bucket.bucket_id for bucket in around.buckets]
    prices = {(row["bucket_id"], row["value"]): row["multiplier"] for row in session.rows("read/explain_price", audit_id=audit_id, buckets=buckets)}
    part = _Part(around, prices, domain_size)
    target = around.cells_of(subject_id, leaves)
    now = float(around.probability[target].sum())
    inside = np.flatnonzero(around.distance <= around.radius)
    tried = sorted(inside.tolist(), key=lambda i: (around.distance[i], around.buckets[i].position, around.buckets[i].bucket_id))[:MAX_TRIED]
    remarks = []
    found: list[tuple[float, Bucket]] = []
    unsolved = 0
    for bucket in tried:
        try:
            found.append((part.without(bucket, target), around.buckets[bucket]))
        except MaxentError:
            unsolved += 1
    changed = [(without, bucket) for without, bucket in found if abs(without - now) > NOTHING]
    changed.sort(key=lambda each: -round(abs(each[0] - now), 9))
    influences = tuple(Influence(bucket.release, bucket.bucket, without, without - now) for without, bucket in changed[:top])
    if not changed:
        remarks.append(
            "No single bucket changes it: whatever one of them says, the others together say too. What a whole release adds is in report.inference_channel."
        )
    if len(tried) < len(around.buckets):
        remarks.append(f"The {len(tried)} nearest buckets were left out in turn, of those that are connected with this person.")
    if not around.is_complete:
        remarks.append("Approximate: persons further away were held as the audit has them, so that what they would make up for a missing bucket is not seen.")
    if unsolved:
        remarks.append(f"For {unsolved} of the buckets no answer could be certified.")
    return influences, tuple(remarks)


def _affected(near: Neighbourhood) -> Surroundings | None:
    """Everybody connected with a person, or as many rings as are not too large; None for somebody in no release."""
    around = None
    while near.grow():
        wider = near.surroundings()
        if around is not None and len(wider.subject) > MAX_CELLS:
            return around
        around = wider
        if around.is_complete:
            return around
    return around


class _Part:
    """The figures around a person as a problem that can be solved without any one bucket."""

    def __init__(self, around: Surroundings, prices: dict[tuple[int, str], float], domain_size: int) -> None:
        self._around, self._domain_size = around, domain_size
        whole = around.distance[around.bucket_of] <= around.radius
        self._rows = np.flatnonzero(~around.is_absent & whole)
        facts = [around.facts[i] for i in self._rows.tolist()]
        self._lower, self._upper = (np.array([getattr(fact, name) for fact in facts], dtype=np.float64) for name in ("least", "most"))
        self._price = np.array([prices.get((fact.bucket.bucket_id, fact.value), 0.0) for fact in facts])
        self._matrix = around.matrix[self._rows]
        # Which buckets list the value of a cell, directly or under a coarser name; and in how many its subject stands.
        row, cell = around.matrix[np.flatnonzero(~around.is_absent)].nonzero()
        listed = np.unique(np.c_[around.bucket_of[np.flatnonzero(~around.is_absent)][row], cell], axis=0)
        self._lists = sp.csr_array((np.ones(len(listed)), (listed[:, 0], listed[:, 1])), shape=(len(around.buckets), len(around.subject)))
        stands = np.unique(np.c_[listed[:, 0], around.subject[listed[:, 1]]], axis=0)
        self._stands = sp.csr_array((np.ones(len(stands)), (stands[:, 0], stands[:, 1])), shape=(len(around.buckets), len(around.subject_ids)))
        self._log_prior, self._is_held = self._outside()

    def without(self, bucket: int, target: Ints) -> float:
        """The probability of some cells if nothing were known of a bucket."""
        around = self._around
        listing = self._lists.sum(axis=0) - self._lists[[bucket]].toarray()[0]
        standing = self._stands.sum(axis=0) - self._stands[[bucket]].toarray()[0]
        cells = np.flatnonzero((listing == standing[around.subject]) & ~(self._is_held & (around.probability == 0)))
        rows = np.flatnonzero(around.bucket_of[self._rows] != bucket)
        # Whoever stands nowhere else may have any value of the domain: those that nothing here lists are one more cell.
        listed = np.bincount(around.subject, minlength=len(around.subject_ids))
        free = np.flatnonzero((standing == 0) & (listed < self._domain_size))
        subject = np.r_[around.subject[cells], free]
        log_prior = np.r_[self._log_prior[cells], np.log(self._domain_size - listed[free])]
        order = np.argsort(subject, kind="stable")
        matrix = sp.hstack([self._matrix[rows][:, cells], sp.csr_array((len(rows), len(free)))]).tocsr()[:, order]
        problem = Problem(
            subject=subject[order],
            person_count=around.person_count.astype(np.float64),
            matrix=matrix,
            lower=self._lower[rows],
            upper=self._upper[rows],
            prior=np.exp(log_prior[order]) if np.any(log_prior) else None,
        )
        answer = np.zeros(len(subject))
        answer[order] = solve(problem, start=self._price[rows]).probability
        return float(answer[: len(cells)][np.isin(cells, target)].sum())

    def _outside(self) -> tuple[Floats, Bools]:
        """[cells] what the figures further out say of a cell, at the audit's prices, and whether they say anything."""
        around = self._around
        held = np.zeros(len(around.subject_ids), dtype=bool)
        held[self._stands[np.flatnonzero(around.distance > around.radius)].indices] = True
        is_held = held[around.subject]
        weight = np.zeros(len(around.subject))
        known = is_held & (around.probability > 0)
        weight[known] = np.log(around.probability[known]) - (self._matrix.T @ self._price)[known]
        top = np.full(len(held), -np.inf)
        np.maximum.at(top, around.subject[known], weight[known])
        weight[known] -= top[around.subject[known]]
        return np.maximum(weight, -600.0), is_held
