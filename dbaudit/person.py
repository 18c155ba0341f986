"""Persons who are known by name in releases without ids: keep them, and tell an audit which records each of them may be.

A named person is one of the records whose quasi-identifiers cover what is known of him; nobody knows which. The records stay where they are;
model.place, model.pool_subject and model.standing make subjects of the named persons and of the others who may stand there.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from dbaudit.dataset import Dataset, find_dataset, person_base
from dbaudit.errors import UsageError
from dbaudit.language.statement import nearest
from dbaudit.spec import checked_name
from dbaudit.store import Session, Store

_NAMED = 10  # names that a message lists at most


@dataclass(frozen=True)
class Named:
    """A named person that was stored."""

    dataset: str
    person: str
    qi: dict[str, str | None]


def add_person(store: Store, dataset: str, name: str, qi: Mapping[str, Any]) -> Named:
    """Name somebody who is one of the records with these quasi-identifiers; None is a missing value, a column that is not given may be anything.

    Refused where no record of any release that is registered can be this person, or where there are too few for all who are named.
    """
    checked_name("person", name)
    with store.writing() as session:
        found = find_dataset(session, dataset)
        if found.id:
            raise UsageError(f"{dataset} has ids: its persons are named by {found.id}, and which records are theirs is certain. Use the id in a statement.")
        given = _checked_columns(found, qi)
        if any(row["person"] == name for row in _names(session, found)):
            raise UsageError(
                f"{dataset} has a person {name} already. Choose another name, or remove it first: dbaudit knowledge person remove {dataset} {name}"
            )
        person_id = _person_id(session, found, name)
        described = json.dumps(given, ensure_ascii=False, separators=(",", ":"))
        session.run("write/name", person_id=person_id, dataset_id=found.dataset_id, person=name, qi=described)
        session.run("write/named_dataset_tuple", dataset_id=found.dataset_id)
        _fit(session, found)
        _refuse_nobody(session, found, "no record of any release that is registered fits", name)
        releases = session.engine.value("releases", "select count(distinct release_id) from named_tuple")
        crowded = session.rows("read/named_surplus")
        mine = [row for row in crowded if name in row["persons"]]
        if mine and len({row["release_id"] for row in mine}) == releases:
            raise _too_many(found, mine[0], "every release that is registered")
    return Named(dataset, name, given)


def list_persons(store: Store, dataset: str) -> list[dict[str, Any]]:
    """The named persons of a dataset, in the order in which they were named, with the quasi-identifiers that were given."""
    with store.reading() as session:
        rows = _names(session, find_dataset(session, dataset))
        return [{"person": row["person"], "qi": json.loads(row["qi"]), "added_at": row["added_at"]} for row in rows]


def remove_person(store: Store, dataset: str, name: str) -> None:
    """Forget a named person. Audits in which he was keep what they took him for; statements about him stay and are refused by later audits."""
    with store.writing() as session:
        found = find_dataset(session, dataset)
        known = [row["person"] for row in _names(session, found)]
        if name not in known:
            near = nearest(name, known)
            raise UsageError(
                f"{dataset} has no named person {name}." + (f" Names most like it: {', '.join(near)}." if near else "") + _SEE.format(dataset=dataset)
            )
        forget = "delete from adversary.named_person where dataset_id = ? and person = ?"
        session.engine.run("forget the name", forget, [found.dataset_id, name])
        session.run("write/sweep_person")


_SEE = " See: dbaudit knowledge person list {dataset}"


# -- in an audit


def inputs(session: Session, dataset: Dataset) -> list[tuple[str, str, str]]:
    """What an audit reads of named persons: kind, name and digest of each, whether or not its scope has room for them."""
    return [("person", row["person"], row["digest"]) for row in _names(session, dataset)]


def names(session: Session, dataset: Dataset) -> list[str]:
    """The names that were given in a dataset."""
    return [row["person"] for row in _names(session, dataset)]


def enter(session: Session, audit_id: int, dataset: Dataset, releases: Sequence[str]) -> tuple[bool, list[str]]:
    """Fix which records the named persons may be in an audit: whether there are any, and remarks.

    Runs before the subjects are known, because whom a record may be tells it apart from others.
    """
    known = names(session, dataset)
    if not known:
        return False, []
    if len(releases) != 1:
        return False, [f"{_listed(known)} {'was' if len(known) == 1 else 'were'} left out: {only_one(len(releases))}."]
    session.run("write/named_tuple", audit_id=audit_id)
    _fit(session, dataset)
    _refuse_nobody(session, dataset, f"no record of release {releases[0]} fits")
    for row in session.rows("read/named_surplus"):
        raise _too_many(dataset, row, f"release {releases[0]}")
    session.run("write/named_qi", audit_id=audit_id)
    for row in session.rows("read/named_crowd", audit_id=audit_id):
        raise _too_many(dataset, row, f"release {releases[0]}")
    return True, []


def only_one(release_count: int) -> str:
    """Why a name means nothing in a scope."""
    return f"a name needs exactly one release in scope, not {release_count}, because nobody knows which records of two releases are one person's"


def seek(session: Session, audit_id: int) -> None:
    """Keep whom the solver looks for among the records, and where each may stand; the subjects of the records are known now."""
    for step in ("pool_subject", "named_person", "standing"):
        session.run(f"write/{step}", audit_id=audit_id)


# -- what is known of a person


def _names(session: Session, dataset: Dataset) -> list[dict[str, Any]]:
    return session.rows("read/named_person", dataset_id=dataset.dataset_id)


def _checked_columns(dataset: Dataset, qi: Mapping[str, Any]) -> dict[str, str | None]:
    """What was given, by the dataset's spelling of its columns and in their order."""
    known = {column.casefold(): column for column in dataset.quasi_identifiers}
    given: dict[str, str | None] = {}
    for column, value in qi.items():
        if column.casefold() not in known:
            near = nearest(column, dataset.quasi_identifiers)
            meant = f" Did you mean {near[0]}?" if near else ""
            raise UsageError(f"{dataset.name} has no quasi-identifier {column}; known are {', '.join(dataset.quasi_identifiers)}.{meant}")
        spelled = known[column.casefold()]
        if spelled in given:
            raise UsageError(f"{spelled} was given twice: a person has one value of each quasi-identifier.")
        given[spelled] = None if value is None or str(value) == "" else str(value)
    if not given:
        raise UsageError(f"a named person needs at least one quasi-identifier: --qi {dataset.quasi_identifiers[0]}=VALUE")
    return {column: given[column] for column in dataset.quasi_identifiers if column in given}


def _person_id(session: Session, dataset: Dataset, name: str) -> int:
    """The key of a name that was there before, if an audit still knows it, or a new one."""
    query = "select person_id from published.person where dataset_id = ? and release_id is null and person = ?"
    rows = session.engine.rows("person", query, [dataset.dataset_id, name])
    if rows:
        return int(rows[0][0])
    person_id = person_base(session) + 1
    insert = "insert into published.person (person_id, dataset_id, release_id, person) values (?, ?, null, ?)"
    session.engine.run("person", insert, [person_id, dataset.dataset_id, name])
    return person_id


def _fit(session: Session, dataset: Dataset) -> None:
    """Put into `named_fit` which records in `named_tuple` each named person may be."""
    for step in ("named_value", "named_text", "named_cover", "named_fit"):
        session.run(f"write/{step}", dataset_id=dataset.dataset_id)


def _refuse_nobody(session: Session, dataset: Dataset, why: str, only: str | None = None) -> None:
    for row in session.rows("read/named_nobody"):
        if only is not None and row["person"] != only:
            continue
        parts = session.rows("read/named_unmatched", person_id=row["person_id"])
        described = ", ".join(f"{part['column_name']} {_shown(part['text'])}" for part in parts)
        missing = [part for part in parts if not part["is_covered"]]
        told = [_never(part) for part in missing] or ["Each of these occurs, but not together in one record."]
        raise UsageError(f"{row['person']} ({described}) cannot be in {dataset.name}: {why}. {' '.join(told)}{_SEE.format(dataset=dataset.name)}")


def _never(part: dict[str, Any]) -> str:
    near = nearest(str(part["text"]), part["texts"] or ()) if part["text"] is not None else []
    return f"{part['column_name']} is never {_shown(part['text'])}." + (f" Most like it: {', '.join(near)}." if near else "")


def _too_many(dataset: Dataset, row: dict[str, Any], where: str) -> UsageError:
    room = f"{row['record_count']} {'record' if row['record_count'] == 1 else 'records'}"
    return UsageError(
        f"{_listed(row['persons'])} cannot all be in {dataset.name}: in {where} only {room} can be any of them. "
        f"Remove a name with: dbaudit knowledge person remove {dataset.name} NAME"
    )


def _shown(text: str | None) -> str:
    return "(missing)" if text is None else text


def _listed(known: Sequence[str]) -> str:
    shown = list(known[:_NAMED]) + ([f"{len(known) - _NAMED} more"] if len(known) > _NAMED else [])
    return shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} and {shown[-1]}"
