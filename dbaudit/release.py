"""Register what was published: a release in one of three forms, checked whole before anything is stored."""

from __future__ import annotations

import uuid
from dataclasses import dataclass
from typing import Any

from dbaudit import intake
from dbaudit.dataset import Dataset, find_dataset, person_base
from dbaudit.errors import UsageError
from dbaudit.intake import Source
from dbaudit.language.incoming import Roles
from dbaudit.spec import ReleaseSpec
from dbaudit.store import Session, Store

_COUNT_COLUMN = "count"  # how a list of values counts where nobody says otherwise


@dataclass(frozen=True)
class Registered:
    """What became of a release: its row in report.release, and remarks for whoever registered it."""

    row: dict[str, Any]
    remarks: list[str]


@dataclass(frozen=True)
class _Staged:
    """A release that was read and checked, and waits to be stored."""

    dataset: Dataset
    sources: list[Source]
    roles: Roles
    unit: str
    is_followed: bool
    remarks: list[str]


def add_release(store: Store, spec: ReleaseSpec) -> Registered:
    """Read, check and store a release; on any error the store is as it was."""
    if spec.microdata is None:
        with store.writing() as session:
            return _store(session, spec, _prepare(session, spec), None)
    with store.loading() as session:
        staged = _prepare(session, spec)
        load_id = str(uuid.uuid4())
        # The truth first: a load that the audit file does not name yet does not count, and the next one sweeps it away.
        with session.engine.transaction():
            session.run("write/sweep_microdata")
            session.run(
                "write/release_microdata",
                load_id=load_id,
                dataset_id=staged.dataset.dataset_id,
                person_base=person_base(session),
                values_may_change=staged.dataset.values_may_change,
            )
        with session.engine.transaction():
            return _store(session, spec, staged, load_id)


def _prepare(session: Session, spec: ReleaseSpec) -> _Staged:
    """Read the files of a release into temporary tables, and refuse what cannot be right."""
    dataset = find_dataset(session, spec.dataset)
    if _find(session, dataset, spec.name):
        raise UsageError(
            f"{spec.dataset} has a release {spec.name} already. Choose another name, or take it back: dbaudit release remove {spec.dataset} {spec.name}"
        )
    _refuse_two_roles(dataset, spec)
    unit = spec.unit or dataset.unit
    is_followed = dataset.id is not None and unit == "person"
    if spec.count and is_followed and spec.form != "anatomy":
        raise UsageError(
            f"a counted table cannot tell who stands where, but {spec.dataset} follows persons by {dataset.id}. Give --unit record, or leave out --count."
        )
    if unit == "record" and dataset.id and dataset.population_source:
        raise UsageError(
            f"with --unit record nobody in {spec.name} is followed by id, but {spec.dataset} has a population with ids: they would be counted twice. "
            "Declare a dataset without --id for it."
        )
    if spec.microdata and not is_followed:
        raise UsageError(f"--microdata needs persons who are followed by id, so that each has a truth: {spec.dataset} follows nobody in {spec.name}.")
    if dataset.values_may_change and not spec.microdata:
        raise UsageError(f"values of {spec.dataset} may change: give the microdata of {spec.name} with --microdata FILE, from which it is decided whose did.")
    value_map = intake.find(spec.value_map) if spec.value_map else None
    if value_map:
        intake.stage_map(session, value_map, dataset.dataset_id)
    sources, roles, renamed = _stage(session, dataset, spec, dataset.id if is_followed else None)
    outside = [row["value"] for row in session.rows("read/value_outside_domain", dataset_id=dataset.dataset_id)]
    intake.refuse_values(f"release {spec.name}", outside)
    remarks = [*_told(renamed, value_map), *intake.look_alikes(session, dataset.dataset_id)]
    if spec.microdata:
        remarks += _stage_truth(session, dataset, spec)
    return _Staged(dataset, [*sources, *([value_map] if value_map else [])], roles, unit, is_followed, remarks)


def _store(session: Session, spec: ReleaseSpec, staged: _Staged, load_id: str | None) -> Registered:
    release_id = _write(session, spec, staged, load_id)
    return Registered(show_in(session, staged.dataset, spec.name), [*staged.remarks, *_remarks(session, staged, release_id)])


def list_releases(store: Store, dataset: str) -> list[dict[str, Any]]:
    """The releases of a dataset in the order of their publication."""
    with store.reading() as session:
        find_dataset(session, dataset)
        return session.engine.dicts("releases", "select * from report.release where dataset = ? order by published_on, added_at", [dataset])


def show_release(store: Store, dataset: str, name: str) -> dict[str, Any]:
    """One release, as report.release tells it."""
    with store.reading() as session:
        return show_in(session, find_dataset(session, dataset), name)


def publish_release(store: Store, dataset: str, name: str) -> dict[str, Any]:
    """A candidate was published: from now on it counts in every audit."""
    return _change_state(store, dataset, name, {"candidate": "published", "withdrawn": "published"}, "is published already")


def withdraw_release(store: Store, dataset: str, name: str) -> dict[str, Any]:
    """A release is no longer offered. It was seen, and so it still counts in audits."""
    return _change_state(store, dataset, name, {"published": "withdrawn"}, "was never published, or is withdrawn already")


def remove_release(store: Store, dataset: str, name: str) -> bool:
    """Take back an entry made by mistake. Its rows go at once, unless audits rest on them; returns whether they went."""
    with store.writing() as session:
        release_id = _must_find(session, find_dataset(session, dataset), name)["release_id"]
        session.engine.run("mark as removed", "update published.release set state = 'removed' where release_id = ?", [release_id])
        has_truth = sweep_removed_releases(session)
        is_gone = not session.engine.value("kept", "select count(*) from published.release where release_id = ?", [release_id])
    if has_truth:
        sweep_truth(store)
    return is_gone


def sweep_truth(store: Store) -> None:
    """Delete from the file of the truth what no dataset and no release names any more."""
    with store.loading() as session, session.engine.transaction():
        session.run("write/sweep_microdata")


def sweep_removed_releases(session: Session) -> bool:
    """Delete what removed releases left, once no audit rests on it any more; returns whether `sweep_truth` must follow."""
    removable = session.rows("read/removable_release")
    for row in removable:
        session.remove_rows("release_id", row["release_id"], schema="published")
    session.run("write/sweep_person")
    session.run("write/sweep_qi")
    return any(row["load_id"] for row in removable)


def show_in(session: Session, dataset: Dataset, name: str) -> dict[str, Any]:
    """One release, as report.release tells it, in a session that is open."""
    _must_find(session, dataset, name)
    (row,) = session.engine.dicts("release", "select * from report.release where dataset = ? and release = ?", [dataset.name, name])
    return row


def _find(session: Session, dataset: Dataset, name: str) -> dict[str, Any] | None:
    query = "select release_id, state from published.release where dataset_id = ? and release = ? and state <> 'removed'"
    rows = session.engine.dicts("release", query, [dataset.dataset_id, name])
    return rows[0] if rows else None


def _must_find(session: Session, dataset: Dataset, name: str) -> dict[str, Any]:
    found = _find(session, dataset, name)
    if found is None:
        query = "select release from published.release where dataset_id = ? and state <> 'removed' order by release_id"
        known = [row[0] for row in session.engine.rows("releases", query, [dataset.dataset_id])]
        raise UsageError(
            f"{dataset.name} has no release {name}. " + (f"Known: {', '.join(known)}." if known else f"Register one with: dbaudit release add {dataset.name}")
        )
    return found


def _change_state(store: Store, dataset: str, name: str, steps: dict[str, str], otherwise: str) -> dict[str, Any]:
    with store.writing() as session:
        found = find_dataset(session, dataset)
        release = _must_find(session, found, name)
        if release["state"] not in steps:
            raise UsageError(f"release {name} of {dataset} {otherwise} (it is {release['state']}).")
        session.engine.run("change of state", "update published.release set state = ? where release_id = ?", [steps[release["state"]], release["release_id"]])
        return show_in(session, found, name)


def _stage(session: Session, dataset: Dataset, spec: ReleaseSpec, id_column: str | None) -> tuple[list[Source], Roles, dict[str, str]]:
    """Read the files of a release and refuse what cannot be right; leaves `incoming` and `incoming_value`, and tells which values a map renamed."""
    null_value = _null_value(dataset, spec)
    persons = ("person_missing", "person_twice") if id_column else ()
    if spec.form == "anatomy":
        return _stage_anatomy(session, dataset, spec, id_column, persons, null_value)
    assert spec.file is not None, "ReleaseSpec refuses a release of one file without it"
    source = intake.find(spec.file)
    roles = Roles(dataset.quasi_identifiers, dataset.sensitive, id_column, spec.bucket, spec.count, tuple_is_bucket=spec.bucket is None, null_value=null_value)
    intake.stage(session, source, roles)
    renamed = intake.map_values(session, dataset.dataset_id, "incoming") if spec.value_map else {}
    checks = ("nothing", *persons, "bucket_missing", "value_missing", "not_finite", "text_too_long", "value_ambiguous")
    _refuse_and_expand(session, roles, checks, f"release {spec.name}, {source.name}")
    session.run("write/counted_value")
    session.run("write/distinct_value")
    intake.stage_tuples(session, roles)
    return [source], roles, renamed


def _stage_anatomy(
    session: Session, dataset: Dataset, spec: ReleaseSpec, id_column: str | None, persons: tuple[str, ...], null_value: str | None
) -> tuple[list[Source], Roles, dict[str, str]]:
    """The two files of an anatomy release: who stands in which bucket, and which values each bucket holds."""
    assert spec.records is not None and spec.values is not None, "ReleaseSpec refuses an anatomy release without them"
    records, values = intake.find(spec.records), intake.find(spec.values)
    in_records, in_values = (set(intake.columns(session.engine, source, spec.bucket)) for source in (records, values))
    if spec.count and spec.count not in in_records | in_values:
        raise UsageError(f"neither {records.name} nor {values.name} has a column {spec.count} (--count).")
    counted_values = spec.count if spec.count in in_values else None
    if spec.count is None and _COUNT_COLUMN in in_values and _COUNT_COLUMN not in (*dataset.sensitive, spec.bucket):
        counted_values = _COUNT_COLUMN
    counted_records = spec.count if spec.count in in_records and id_column is None else None
    of_values = Roles(sensitive=dataset.sensitive, bucket=spec.bucket, count=counted_values, null_value=null_value, keys_as_text=True)
    intake.stage(session, values, of_values, into="incoming_value_row")
    renamed = intake.map_values(session, dataset.dataset_id, "incoming_value_row") if spec.value_map else {}
    listed = ("listed_count_wrong",) if counted_values else ()
    intake.refuse(
        session,
        ("listed_bucket_missing", "listed_value_missing", "listed_not_finite", "listed_text_too_long", *listed, "listed_value_ambiguous"),
        f"release {spec.name}, {values.name}",
    )
    session.run("write/listed_value")
    session.run("write/distinct_listed_value")
    of_records = Roles(qi=dataset.quasi_identifiers, id=id_column, bucket=spec.bucket, count=counted_records, keys_as_text=True)
    intake.stage(session, records, of_records)
    checks = ("nothing", *persons, "bucket_missing", "not_finite", "text_too_long")
    _refuse_and_expand(session, of_records, checks, f"release {spec.name}, {records.name}")
    intake.refuse(session, ("sizes_disagree",), f"release {spec.name}")
    intake.stage_tuples(session, of_records)
    return [records, values], of_records, renamed


def _null_value(dataset: Dataset, spec: ReleaseSpec) -> str | None:
    return spec.null_value if spec.null_value is not None else dataset.null_value


def _stage_truth(session: Session, dataset: Dataset, spec: ReleaseSpec) -> list[str]:
    """Read the microdata of a release, and decide whom its records mean where values may change; returns remarks."""
    assert spec.microdata is not None, "asked for only where it was given"
    source = intake.find(spec.microdata)
    roles = Roles(sensitive=dataset.sensitive, id=dataset.id, null_value=_null_value(dataset, spec))
    intake.stage(session, source, roles, into="incoming_truth")
    if spec.value_map:
        intake.map_values(session, dataset.dataset_id, "incoming_truth")
    known = {"dataset_id": dataset.dataset_id}
    intake.refuse(session, ("truth_person_twice", "truth_person_missing", "truth_value_missing"), f"release {spec.name}, {source.name}")
    session.run("write/incoming_identity", **known)
    remarks = []
    untrue = session.row("read/untrue_bucket", **known)["bucket_count"]
    if untrue:
        remarks.append(f"in {untrue} of its buckets the published values are not those of the microdata: is it the right file?")
    changed = session.row("read/changed_person")
    if changed["person_count"]:
        several = changed["person_count"] > 1
        many = f"{changed['person_count']} {'persons have' if several else 'person has'} another value than before, such as {changed['person']}"
        if dataset.values_may_change:
            remarks.append(f"{many}: each counts as a new person, called by id, # and a number.")
        else:
            remarks.append(f"{many}: an audit will find contradictions. Declare the dataset with --values-may-change if values change in truth.")
    if dataset.values_may_change:
        intake.refuse(session, ("changed_name_taken",), f"release {spec.name}", **known)
        session.run("write/incoming_renamed")
    return remarks


def _told(renamed: dict[str, str], value_map: Source | None) -> list[str]:
    """A remark on what a map of values did, so that a slip in it is seen."""
    if value_map is None:
        return []
    if not renamed:
        return [f"{value_map.name} renames nothing: no value of this release is written as in its first column."]
    listed = "; ".join(f"{published} means {meant}" for published, meant in list(renamed.items())[:5])
    return [f"{listed}{f'; and {len(renamed) - 5} more' if len(renamed) > 5 else ''}."]


def _refuse_and_expand(session: Session, roles: Roles, checks: tuple[str, ...], what: str) -> None:
    """Check the records; where rows are counted, only after the counts: a count of a thousand million would fill the memory first."""
    if roles.count:
        intake.refuse(session, ("nothing", "count_wrong", "counts_too_many"), what)
        intake.expand(session)
    intake.refuse(session, checks, what)


def _refuse_two_roles(dataset: Dataset, spec: ReleaseSpec) -> None:
    """The bucket and the count are columns of their own; only a quasi-identifier may say which bucket it is."""
    taken = [*dataset.sensitive, *([dataset.id] if dataset.id else [])]
    for option, column, others in (("--bucket", spec.bucket, taken), ("--count", spec.count, [*taken, *dataset.quasi_identifiers, spec.bucket])):
        if column and column in others:
            raise UsageError(f"a column has one role, but {column} ({option}) has another in {dataset.name} or in this release. Name the right column.")


def _write(session: Session, spec: ReleaseSpec, staged: _Staged, load_id: str | None) -> int:
    engine, dataset, is_followed = session.engine, staged.dataset, staged.is_followed
    release_id = int(engine.value("key", "select nextval('published.release_key')"))
    known: dict[str, Any] = {
        "dataset_id": dataset.dataset_id,
        "release_id": release_id,
        "person_base": person_base(session),
        "person_release_id": None if is_followed else release_id,
        "is_followed": is_followed,
        "owner": spec.name,
    }
    session.run("write/incoming_bucket")
    session.run(
        "write/release",
        **known,
        release=spec.name,
        form=spec.form,
        state="candidate" if spec.is_candidate else "published",
        published_on=spec.published_on,
        unit=staged.unit,
        source=", ".join(source.name for source in staged.sources),
        digest=" ".join(source.digest for source in staged.sources),
        load_id=load_id,
    )
    intake.store_tuples(session, staged.roles, dataset.dataset_id)
    for step in ("incoming_record", "bucket", "member", "bucket_value", "value_part", "person"):
        session.run(f"write/{step}", **known)
    if dataset.values_may_change:
        session.run("write/person_identity", **known)
    return release_id


def _remarks(session: Session, staged: _Staged, release_id: int) -> list[str]:
    """What an officer would want to be told at once, although it is no error."""
    engine, remarks = session.engine, []
    alone = engine.value("buckets of one", "select count(*) from published.bucket where release_id = ? and member_count = 1", [release_id])
    if alone:
        remarks.append(f"{alone} {'bucket holds' if alone == 1 else 'buckets hold'} a single record, whose sensitive value is thereby published.")
    others = "select count(*) from published.release where dataset_id = ? and release_id <> ? and state <> 'removed'"
    known = "select count(*) from incoming_record where not is_new"
    if staged.is_followed and engine.value("others", others, [staged.dataset.dataset_id, release_id]) and not engine.value("who is known", known):
        remarks.append(f"nobody in this release was known before: is {staged.dataset.id} written as in the other releases?")
    return remarks
