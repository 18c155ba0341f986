"""Declare what is published about: a dataset, its columns, and who is known to be in it."""

from __future__ import annotations

import re
import uuid
from dataclasses import dataclass
from typing import Any

from dbaudit import intake
from dbaudit.errors import UsageError
from dbaudit.intake import Source
from dbaudit.language.incoming import Roles
from dbaudit.spec import DatasetSpec
from dbaudit.store import Session, Store

_PERSON_CHECKS = ("nothing", "not_finite", "text_too_long")


@dataclass(frozen=True)
class Dataset:
    """A dataset as the store knows it."""

    dataset_id: int
    name: str
    quasi_identifiers: tuple[str, ...]
    sensitive: tuple[str, ...]
    id: str | None
    unit: str
    null_value: str | None
    population_source: str | None
    link: str | None
    values_may_change: bool


def add_dataset(store: Store, spec: DatasetSpec) -> list[str]:
    """Declare a dataset; with a population or microdata, store its persons. Returns remarks for whoever asked."""
    source = intake.find(spec.persons) if spec.persons else None
    if spec.microdata is None:
        with store.writing() as session:
            _refuse_known(session, spec.name)
            remarks = _stage_persons(session, spec, source)
            _write(session, spec, source, None)
        return remarks
    with store.loading() as session:
        _refuse_known(session, spec.name)
        remarks = _stage_persons(session, spec, source)
        load_id = str(uuid.uuid4())
        # The truth first: a load that the audit file does not name yet does not count, and the next one sweeps it away.
        with session.engine.transaction():
            session.run("write/sweep_microdata")
            session.run("write/microdata", load_id=load_id, person_base=person_base(session))
        with session.engine.transaction():
            _write(session, spec, source, load_id)
    return remarks


def find_dataset(session: Session, name: str) -> Dataset:
    """A dataset by name; raises UsageError with the names that exist."""
    rows = session.rows("read/dataset", dataset=name)
    if not rows:
        known = [row[0] for row in session.engine.rows("datasets", "select dataset from published.dataset order by dataset")]
        raise UsageError(f"there is no dataset {name}. " + (f"Known: {', '.join(known)}." if known else "Declare it with: dbaudit dataset add"))
    (row,) = rows
    return Dataset(**{**row, "name": name, "quasi_identifiers": tuple(row["quasi_identifiers"]), "sensitive": tuple(row["sensitive"])})


def list_datasets(store: Store) -> list[dict[str, Any]]:
    """All datasets, as report.dataset tells them."""
    with store.reading() as session:
        return session.engine.dicts("datasets", "select * from report.dataset order by dataset")


def show_dataset(store: Store, name: str) -> dict[str, Any]:
    """One dataset, as report.dataset tells it, with its domain."""
    with store.reading() as session:
        found = find_dataset(session, name)
        (row,) = session.engine.dicts("dataset", "select * from report.dataset where dataset = ?", [name])
        domain = session.engine.rows("domain", "select value from published.domain_value where dataset_id = ? order by value", [found.dataset_id])
        return {**row, "domain": [value for (value,) in domain]}


def remove_dataset(store: Store, name: str, *, with_audits: bool = False) -> None:
    """Remove a dataset with its releases and persons, the truth about them, and statements; its audits only if asked to."""
    with store.loading() as session:
        found = find_dataset(session, name)
        audits = session.engine.value("audits", "select count(*) from result.audit where dataset_id = ?", [found.dataset_id])
        if audits and not with_audits:
            told = "1 audit rests" if audits == 1 else f"{audits} audits rest"
            raise UsageError(f"{told} on {name}. Remove what rests on it too with --with-audits, or keep the dataset.")
        with session.engine.transaction():
            for row in session.engine.rows("audits", "select audit_id from result.audit where dataset_id = ?", [found.dataset_id]):
                session.remove_rows("audit_id", row[0], schema="result")
            for row in session.engine.rows("releases", "select release_id from published.release where dataset_id = ?", [found.dataset_id]):
                session.remove_rows("release_id", row[0], schema="published")
            for schema in ("published", "adversary"):
                session.remove_rows("dataset_id", found.dataset_id, schema=schema)
            session.run("write/sweep_rule_item")
        with session.engine.transaction():
            session.run("write/sweep_microdata")


def _refuse_known(session: Session, name: str) -> None:
    if session.rows("read/dataset", dataset=name):
        raise UsageError(f"there is a dataset {name} already. Choose another name, or remove it first: dbaudit dataset remove {name}")


def _roles(spec: DatasetSpec) -> Roles:
    return Roles(qi=spec.quasi_identifiers, sensitive=spec.sensitive if spec.microdata else (), id=spec.id, null_value=spec.null_value)


def _stage_persons(session: Session, spec: DatasetSpec, source: Source | None) -> list[str]:
    """Read and check the population or the microdata."""
    if source is None:
        return []
    intake.stage(session, source, _roles(spec))
    identified = ("person_missing", "person_twice") if spec.id else ()
    truth = ("value_missing", "value_ambiguous") if spec.microdata else ()
    intake.refuse(session, (*_PERSON_CHECKS, *identified, *truth), source.name)
    intake.stage_tuples(session, _roles(spec))
    if not spec.microdata:
        return []
    session.run("write/distinct_value")
    intake.refuse_values(source.name, sorted(intake.values(session) - set(spec.domain)) if spec.domain else [])
    return intake.look_alikes(session)


def _write(session: Session, spec: DatasetSpec, source: Source | None, load_id: str | None) -> None:
    engine = session.engine
    dataset_id = engine.value("key", "select nextval('published.dataset_key')")
    if source is not None:
        intake.store_tuples(session, _roles(spec), dataset_id)
    session.run(
        "write/dataset",
        dataset_id=dataset_id,
        dataset=spec.name,
        unit=spec.unit,
        null_value=spec.null_value,
        population_source="microdata" if spec.microdata else "population" if spec.population else None,
        population_digest=session.row("read/population_digest")["digest"] if spec.microdata else source.digest if source else None,
        load_id=load_id,
        link=spec.link,
        values_may_change=spec.values_may_change,
    )
    roles = {"id": (spec.id,) if spec.id else (), "qi": spec.quasi_identifiers, "sensitive": spec.sensitive}
    for role, columns in roles.items():
        for position, column in enumerate(columns, 1):
            engine.run("column", "insert into published.dataset_column values (?, ?, ?, ?)", [dataset_id, position, column, role])
    for value, parts in _declared_parts(spec).items():
        engine.run("domain", "insert into published.domain_value values (?, ?, 'declared')", [dataset_id, value])
        for column, part in zip(spec.sensitive, parts, strict=True):
            engine.run("part", "insert into published.value_part values (?, ?, ?, ?)", [dataset_id, value, column, part])
    if source is None:
        return
    base = person_base(session)
    session.run("write/population", dataset_id=dataset_id, person_base=base)
    session.run("write/population_person", dataset_id=dataset_id, person_base=base)
    if spec.microdata:
        session.run("write/value_part", dataset_id=dataset_id)
        if not spec.domain:  # a declared domain is the last word: which values occur then stays in the file of the truth
            session.run("write/microdata_domain", dataset_id=dataset_id)


def _declared_parts(spec: DatasetSpec) -> dict[str, tuple[str, ...]]:
    """The values of a declared domain with their parts; several sensitive columns are written as the results write them: a=x; b=y."""
    if len(spec.sensitive) == 1:
        return {value: (value,) for value in spec.domain}
    form = re.compile("; ".join(f"{re.escape(column)}=(.*)" for column in spec.sensitive), re.DOTALL)
    matches = {value: form.fullmatch(value) for value in spec.domain}
    wrong = [value for value, match in matches.items() if match is None]
    if wrong:
        example = "; ".join(f"{column}=..." for column in spec.sensitive)
        raise UsageError(f"with several sensitive columns a value of --domain is written {example}, not {wrong[0]}.")
    return {value: match.groups() for value, match in matches.items() if match is not None}


def person_base(session: Session) -> int:
    """The largest key of a person so far: new ones are numbered from there."""
    return int(session.engine.value("last person", "select coalesce(max(person_id), 0) from published.person"))
