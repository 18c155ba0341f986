"""Say why an audit found what it found of one person.

A certainty, that somebody has a value or cannot have it, gets a proof: a smallest set of published figures that leaves no other possibility, and
an argument that leads from them to it. What is only probable gets the buckets on which it depends most. Where an audit assumes statements to be
known, a proof from published figures is given if there is one; otherwise the statements are named, and no proof is claimed. Of a named person, whose
record is uncertain, it is told which records may be his, and no proof is looked for.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from dbaudit.audit import find_audit
from dbaudit.errors import UsageError
from dbaudit.explain.argument import Argument, Claimed, Counted
from dbaudit.explain.influence import Influence, leave_out
from dbaudit.explain.proof import prove
from dbaudit.explain.surroundings import Figure
from dbaudit.explain.words import listed, names_in_words
from dbaudit.store import Session, Store

__all__ = ["Explanation", "Fact", "Influence", "explain_person"]

_NAMED = 20  # figures of a contradiction that a message lists at most
_TIE = 1e-9  # as in report.subject_disclosure
_IN_FULL = 20  # persons that a fact lists for programs


@dataclass(frozen=True)
class Fact:
    """A published figure: so many persons of a bucket have a value; 0 where the bucket does not list it.

    Where a bucket mixes finer and coarser values of a hierarchy, its figures together allow `at_least` to `at_most` persons.
    """

    release: str
    bucket: str
    value: str
    count: int
    persons: tuple[str, ...]
    person_count: int
    at_least: int
    at_most: int

    def words(self, first: str) -> str:
        """The figure with the persons whom it counts, `first` among them if he is."""
        among = names_in_words(self.persons, first)
        number = f"{self.at_least:,}" if self.at_least else "no"
        how = ""
        if self.at_least != self.at_most:
            number, how = f"{self.at_least:,} to {self.at_most:,}", " (a coarser name there may mean it)"
        elif self.at_least != self.count:
            how = " (finer names included)"
        return f"release {self.release}, bucket {self.bucket}: {number} {self.value}{how} among {among}"

    def as_data(self) -> dict[str, Any]:
        """The same for programs; of many persons only some."""
        return {
            "release": self.release,
            "bucket": self.bucket,
            "value": self.value,
            "count": self.count,
            "persons": list(self.persons[:_IN_FULL]),
            "person_count": self.person_count,
            "at_least": self.at_least,
            "at_most": self.at_most,
        }


@dataclass(frozen=True)
class Explanation:
    """Why a person has a value, cannot have it, or has it with some probability.

    Certain or impossible: `facts` prove it and `steps` lead from them to it; `is_smallest` says whether it is proven that no fewer facts do,
    otherwise only that none of these can be left out. Probable: `influences`, largest first. Where no value was asked for, `impossible` explains
    what the person's own buckets allow and the publications exclude all the same.
    """

    audit_id: int
    person: str
    value: str
    finding: Literal["certain", "impossible", "probable"]
    probability: float
    facts: tuple[Fact, ...] = ()
    is_smallest: bool | None = None
    steps: tuple[str, ...] = ()
    influences: tuple[Influence, ...] = ()
    remarks: tuple[str, ...] = ()
    impossible: tuple[Explanation, ...] = ()

    def as_data(self) -> dict[str, Any]:
        """The same for programs."""
        return {
            "audit_id": self.audit_id,
            "person": self.person,
            "value": self.value,
            "finding": self.finding,
            "probability": self.probability,
            "facts": [fact.as_data() for fact in self.facts],
            "is_smallest": self.is_smallest,
            "steps": list(self.steps),
            "influences": [influence.as_data() for influence in self.influences],
            "remarks": list(self.remarks),
            "impossible": [each.as_data() for each in self.impossible],
        }

    @property
    def words(self) -> list[str]:
        """For an officer: what was found, the figures behind it, and how they lead there."""
        lines = [line for each in self.impossible for line in [*each.words, ""]]
        return [*lines, *(self._probable if self.finding == "probable" else self._proven), *self.remarks]

    @property
    def _proven(self) -> list[str]:
        claim = f"{self.person} {'certainly has' if self.finding == 'certain' else 'cannot have'} {self.value}"
        if not self.facts:
            return [f"{claim}.", *self.steps]
        count = len(self.facts)
        enough = f"{count} published figures prove it" if count > 1 else "one published figure proves it"
        fewer = "" if count == 1 else ", and no fewer do" if self.is_smallest else ", and none of them can be left out (a smaller set was not ruled out)"
        numbered = [f"  {number}. {fact.words(self.person)}" for number, fact in enumerate(self.facts, 1)]
        # A single figure needs no argument.
        argument = ["Step by step:", *(f"  {step}" for step in self.steps)] if count > 1 else []
        return [f"{claim}: {enough}{fewer}.", *numbered, *argument]

    @property
    def _probable(self) -> list[str]:
        lines = [f"{self.person} has {self.value} with probability {self.probability:.4f}; this is not certain."]
        if not self.influences:
            return lines
        places = [f"release {each.release}, bucket {each.bucket}" for each in self.influences]
        width = max(map(len, places))
        lines.append("What it depends on most. If everything that one bucket says were unknown, the probability would be:")
        return lines + [f"  {place:<{width}}  {each.probability_without:.4f}  ({each.words})" for place, each in zip(places, self.influences, strict=True)]


def explain_person(store: Store, audit_id: int | None, person: str, value: str | None = None, top: int = 5) -> Explanation:
    """Why a person has a value, cannot have it, or has it with some probability, in an audit (the latest where no id is given).

    Without a value: the one that is certain; otherwise the most probable one, and those that the person's own buckets allow but that are proven
    impossible all the same. `top` is how many buckets are told of what is only probable.
    """
    if top < 1:
        raise UsageError(f"--top must be at least 1, not {top}.")
    with store.reading() as session:
        key = find_audit(session, audit_id)
        _refuse_unanswered(session, key)
        subject_id, is_named = _find_person(session, key, str(person))
        answer = session.rows("read/explain_answer", audit_id=key, subject_id=subject_id)
        one = _Person(session, key, str(person), subject_id, {row["value"]: row for row in answer}, _assumed(session, key, subject_id), is_named)
        if value is not None:
            _refuse_unknown(session, key, value)
            return one.explain(value, top)
        told = one.explain(one.likely_value, top)
        if told.finding == "certain":
            return told
        hidden = [name for name, row in one.answer.items() if row["is_impossible"] and not row["is_coarse"]]
        return replace(told, impossible=tuple(one.explain(name, top) for name in hidden))


@dataclass(frozen=True)
class _Person:
    session: Session
    audit_id: int
    person: str
    subject_id: int
    answer: dict[str, dict[str, Any]]
    assumed: tuple[str, ...]  # statements on which the answer may rest beside the publications
    is_named: bool  # which record is his is uncertain

    @property
    def likely_value(self) -> str:
        leaves = {value: row["probability"] for value, row in self.answer.items() if not row["is_coarse"]}
        return min(value for value, probability in leaves.items() if probability >= max(leaves.values()) - _TIE)

    def explain(self, value: str, top: int) -> Explanation:
        row = self.answer.get(value, {"probability": 0.0, "is_impossible": True, "is_certain": False})
        if self.is_named:
            return self._of_named(value, row)
        if not (row["is_impossible"] or row["is_certain"]):
            if self.assumed:
                told = (f"It rests on the publications and on what audit {self.audit_id} assumes to be known; which of them moves it most is not told.",)
                return Explanation(self.audit_id, self.person, value, "probable", row["probability"], remarks=(*told, *self._listed_statements))
            influences, remarks = leave_out(self.session, self.audit_id, self.subject_id, self._leaves(value), top)
            return Explanation(self.audit_id, self.person, value, "probable", row["probability"], influences=influences, remarks=remarks)
        finding: Literal["certain", "impossible"] = "certain" if row["is_certain"] else "impossible"
        facts, is_smallest, steps = self._proof(value, is_certain=row["is_certain"])
        return Explanation(self.audit_id, self.person, value, finding, 1.0 if row["is_certain"] else 0.0, facts, is_smallest, steps)

    def _of_named(self, value: str, row: dict[str, Any]) -> Explanation:
        places = self.session.rows("read/explain_place", audit_id=self.audit_id, subject_id=self.subject_id)
        where = [f"{place['record_count']:,} in " + ("no bucket" if place["bucket"] is None else f"bucket {place['bucket']}") for place in places]
        more = f" and {len(where) - _NAMED} more buckets" if len(where) > _NAMED else ""
        lines = [f"{self.person} may be any of {sum(place['record_count'] for place in places):,} records: {', '.join(where[:_NAMED])}{more}."]
        if self.assumed:
            lines += [f"Beside the publications it rests on what audit {self.audit_id} assumes to be known:", *self._listed_statements]
        if not (row["is_impossible"] or row["is_certain"]):
            lines.append("Which of them moves it most is not told of somebody whose record is uncertain.")
            return Explanation(self.audit_id, self.person, value, "probable", row["probability"], remarks=tuple(lines))
        lines.append(f"No proof by figures is looked for where a record is uncertain; audit {self.audit_id} proves it by a program over all of them.")
        finding: Literal["certain", "impossible"] = "certain" if row["is_certain"] else "impossible"
        return Explanation(self.audit_id, self.person, value, finding, 1.0 if row["is_certain"] else 0.0, steps=tuple(lines))

    @property
    def _listed_statements(self) -> tuple[str, ...]:
        more = (f"  and {len(self.assumed) - _NAMED} more",) if len(self.assumed) > _NAMED else ()
        return (*(f"  {statement}" for statement in self.assumed[:_NAMED]), *more)

    def _leaves(self, value: str) -> list[str]:
        rows = self.session.engine.rows("leaves", "select leaf from result.value_leaf where audit_id = ? and value = ? order by leaf", [self.audit_id, value])
        return [leaf for (leaf,) in rows] or [value]

    def _proof(self, value: str, *, is_certain: bool) -> tuple[tuple[Fact, ...], bool | None, tuple[str, ...]]:
        leaves = self._leaves(value)
        claimed = Claimed(self.person, self.subject_id, value, tuple(leaves), is_certain)
        proof = prove(self.session, self.audit_id, self.subject_id, leaves, is_certain=is_certain)
        if self.assumed and (proof is None or not proof.figures):
            told = f"No proof from published figures alone was found: it rests also on what audit {self.audit_id} assumes to be known."
            return (), None, (told, *self._listed_statements)
        if proof is None:
            return (), None, (f"It takes more figures to show than can be told here; audit {self.audit_id} proves it by a program over all of them.",)
        if not proof.figures:
            return (), True, (f"{self.person} stands in no release in scope, and this is all that the values known to be possible leave.",)
        members: dict[int, dict[int, None]] = {}
        persons: dict[int, list[str]] = {}
        subject_of: dict[str, int] = {}
        buckets = sorted({figure.bucket.bucket_id for figure in proof.figures})
        for row in self.session.rows("read/explain_member", audit_id=self.audit_id, buckets=buckets):
            members.setdefault(row["bucket_id"], {})[row["subject_id"]] = None
            persons.setdefault(row["bucket_id"], []).append(row["person"])
            subject_of[row["person"]] = row["subject_id"]
        counted = [Counted(figure, cells, tuple(members[figure.bucket.bucket_id])) for figure, cells in zip(proof.figures, proof.cells, strict=True)]
        facts = tuple(_fact(figure, persons[figure.bucket.bucket_id], self.person) for figure in proof.figures)
        return facts, proof.is_smallest, tuple(Argument(claimed, counted, subject_of).sentences(proof.combine))


def _fact(figure: Figure, persons: Sequence[str], first: str) -> Fact:
    # The person himself is among the names even where they are many.
    ordered = list(persons) if len(persons) <= _IN_FULL or first not in persons else [first, *(name for name in persons if name != first)]
    bucket = figure.bucket
    return Fact(bucket.release, bucket.bucket, figure.value, figure.count, tuple(ordered), len(persons), figure.least, figure.most)


# -- what cannot be explained


def _refuse_unanswered(session: Session, audit_id: int) -> None:
    (status, message) = session.engine.rows("status", "select status, message from result.audit where audit_id = ?", [audit_id])[0]
    if status == "solved":
        return
    conflict = [key for (key,) in session.engine.rows("conflict", "select constraint_key from result.conflict where audit_id = ? order by all", [audit_id])]
    more = f" and {len(conflict) - _NAMED} more" if len(conflict) > _NAMED else ""
    why = f"These cannot hold together: {'; '.join(conflict[:_NAMED])}{more}." if conflict else (message or "")
    raise UsageError(f"audit {audit_id} is {status}: it has no answer to explain. {why}".rstrip())


def _assumed(session: Session, audit_id: int, subject_id: int) -> tuple[str, ...]:
    """The statements of an audit, unless the subject's bucket is one that none of them touches."""
    closed = session.engine.value("closed", "select is_closed from result.subject where audit_id = ? and subject_id = ?", [audit_id, subject_id])
    query = "select constraint_key from model.knowledge where audit_id = ? order by statement_id"
    return () if closed else tuple(key for (key,) in session.engine.rows("statements", query, [audit_id]))


def _find_person(session: Session, audit_id: int, person: str) -> tuple[int, bool]:
    found = session.rows("read/explain_person", audit_id=audit_id, person=person)
    if not found:
        nearest = [row["person"] for row in session.rows("read/explain_nearest_person", audit_id=audit_id, person=person)]
        raise UsageError(f"nobody in audit {audit_id} is called {person}. The names most like it: {listed(nearest)}.")
    return int(found[0]["subject_id"]), bool(found[0]["is_named"])


def _refuse_unknown(session: Session, audit_id: int, value: str) -> None:
    known = [row["value"] for row in session.rows("read/explain_known_value", audit_id=audit_id, value=value)]
    if value not in known:
        raise UsageError(f"audit {audit_id} knows no value {value}. " + (f"The values most like it: {listed(known[:3])}." if known else ""))
