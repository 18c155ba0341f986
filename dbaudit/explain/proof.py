"""Find a smallest set of published figures that proves a certainty, looking ever further from the person."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from dbaudit.explain.argument import Cell
from dbaudit.explain.surroundings import Figure, Neighbourhood, Surroundings
from dbaudit.maxent.reason import Claim, Reason, combination, find_reason, smallest_reason
from dbaudit.store import Session

# Beyond so many cells no proof is looked for: what lies that far away takes more figures than anybody reads.
MAX_CELLS = 50_000


@dataclass(frozen=True)
class Proof:
    """Figures that prove a certainty, nearest first, each with the cells that it counts."""

    figures: list[Figure]
    cells: list[tuple[Cell, ...]]
    is_smallest: bool
    combine: Callable[[], Sequence[float]]


def prove(session: Session, audit_id: int, subject_id: int, leaves: Sequence[str], *, is_certain: bool) -> Proof | None:
    """The proof that a subject's persons have one of some values, or cannot; without figures for a person in no release, None where it would be too long."""
    near = Neighbourhood(session, audit_id, subject_id, leaves)
    known: list[tuple[int, str]] = []
    while near.grow():
        around = near.surroundings()
        claim = around.claim(around.cells_of(subject_id, leaves), -1 if is_certain else 1)
        size = len(claim.subject)
        if not known:
            if size > MAX_CELLS:
                return None
            reason = find_reason(claim)
            if reason is None:
                continue
            known = [(around.facts[i].bucket.bucket_id, around.facts[i].value) for i in reason.tolist()]
        irreducible = around.position_of(known)
        found = smallest_reason(claim, irreducible) if size <= MAX_CELLS else Reason(irreducible, False)
        if found is not None:
            return _told(around, claim, found)
    return None if near.radius >= 0 else Proof([], [], True, list)


def _told(around: Surroundings, claim: Claim, reason: Reason) -> Proof:
    """The facts in the order of distance and publication."""
    facts = sorted(reason.facts.tolist(), key=lambda i: _order(around, i))
    cells = []
    for fact in facts:
        counted = np.sort(claim.matrix[[fact]].indices)
        subjects, values = around.subject_ids[around.subject[counted]].tolist(), around.leaf[counted].tolist()
        cells.append(tuple((subject, around.values[value]) for subject, value in zip(subjects, values, strict=True)))
    chosen = np.array(facts, dtype=np.int64)
    return Proof([around.facts[i] for i in facts], cells, reason.is_smallest, lambda: combination(claim, chosen).tolist())


def _order(around: Surroundings, fact: int) -> tuple[int, int, int, str, str]:
    bucket = around.facts[fact].bucket
    return int(around.distance[around.bucket_of[fact]]), bucket.position, len(bucket.bucket), bucket.bucket, around.facts[fact].value
