"""The watched folder: what is whole becomes a candidate, what is not waits, what cannot be right is refused, and the log says so."""

from __future__ import annotations

import datetime
import hashlib
from pathlib import Path
from typing import Any

import pytest

from dbaudit import (
    DatasetSpec,
    DbauditError,
    ReleaseSpec,
    ScheduleSpec,
    Store,
    add_dataset,
    add_release,
    add_schedule,
    check_store,
    list_releases,
    remove_dataset,
    remove_release,
    run_due,
)
from dbaudit.errors import ExitCode
from dbaudit.schedule import folder as folders
from dbaudit.schedule.folder import read_manifest
from tests.schedule.helpers import HOSPITAL, HOUR, MONDAY, WEEK, lay, manifest
from tests.sql import stores


@pytest.fixture
def inbox(tmp_path: Path) -> Path:
    path = tmp_path / "in"
    path.mkdir()
    return path


@pytest.fixture
def hospital(tmp_path: Path, inbox: Path) -> Store:
    """Nothing is published, so that only candidates are audited."""
    store = stores.copy("hospital", tmp_path)
    remove_release(store, "patients", "r1")
    add_schedule(store, ScheduleSpec("weekly", "patients", "0 6 * * 1", watch=inbox, max_probability=0.8), now=MONDAY - HOUR)
    return store


def look(store: Store, inbox: Path, dataset: str = "patients") -> list[tuple[str, str, str]]:
    """What a run newly says of the folder: manifest, state and message."""
    claim = {"schedule_id": 1, "run_id": 1, "schedule": "weekly", "dataset": dataset, "watch_folder": str(inbox)}
    return [(event["manifest"], event["state"], event["message"]) for event in folders.look(store, claim, MONDAY)]


def states(store: Store, inbox: Path) -> list[tuple[str, str]]:
    return [(name, state) for name, state, _ in look(store, inbox)]


def test_a_file_waits_until_it_is_there_and_whole_and_is_then_registered_and_audited_once(hospital: Store, inbox: Path) -> None:
    whole = (HOSPITAL / "r2.csv").read_bytes()
    manifest(inbox, date=datetime.date(2026, 5, 1), columns=["pseudonym", "gender", "zip", "disease", "bucket"])
    assert run_due(hospital, now=MONDAY).words[0] == "weekly: r2.toml is waiting: r2.csv is not there yet."
    (inbox / "r2.csv").write_bytes(whole[:100])
    assert "still being written" in look(hospital, inbox)[0][2]
    (inbox / "r2.csv").write_bytes(whole[:200])
    assert look(hospital, inbox) == [], "the log says so already"
    (inbox / "r2.csv").write_bytes(whole)
    done = run_due(hospital, now=MONDAY + WEEK)
    assert [event["state"] for event in done.events] == ["registered"]
    assert [(run["candidate"], run["verdict"]) for run in done.runs] == [("r2", "pass")]
    again = run_due(hospital, now=MONDAY + 2 * WEEK)
    assert (again.events, again.runs[0]["is_repeated"]) == ([], True)
    (release,) = list_releases(hospital, "patients")
    assert (release["release"], release["state"], release["published_on"]) == ("r2", "candidate", datetime.date(2026, 5, 1))
    remove_release(hospital, "patients", "r2")
    assert (look(hospital, inbox), list_releases(hospital, "patients")) == ([], []), "what was taken back does not come back by itself"
    assert check_store(hospital).found == []


def test_what_was_refused_is_looked_at_again_when_its_manifest_changes(hospital: Store, inbox: Path) -> None:
    path = lay(inbox, bucket="bukcet")
    (inbox / "notes.toml").write_text("form = ")
    (inbox / ".hidden.toml").write_text("form = ")
    (inbox / "odd.toml").mkdir()
    done = run_due(hospital, now=MONDAY)
    assert [(event["manifest"], event["state"]) for event in done.events] == [("notes.toml", "refused"), ("odd.toml", "refused"), ("r2.toml", "refused")]
    assert "bukcet" in done.events[2]["message"]
    assert done.exit_code is ExitCode.REJECTED
    assert look(hospital, inbox) == []
    path.write_text(path.read_text().replace("bukcet", "bucket"))
    assert states(hospital, inbox) == [("r2.toml", "registered")]


def test_a_column_that_nobody_expects_is_refused(hospital: Store, inbox: Path) -> None:
    lay(inbox, columns=["pseudonym", "gender", "disease", "bucket"])
    lay(inbox, "r3", columns=["pseudonym", "gender", "zip", "disease", "bucket", "age"])
    messages = [message for _, _, message in look(hospital, inbox)]
    assert messages[0].startswith("release r2 has a column that the manifest does not list: zip.")
    assert messages[1].startswith("release r3 lacks a column: age.")
    assert list_releases(hospital, "patients") == []


def test_a_name_that_another_release_has_waits_until_it_is_free(hospital: Store, inbox: Path) -> None:
    add_release(hospital, ReleaseSpec("patients", "r2", "bucketized", HOSPITAL / "r1.csv", bucket="bucket", is_candidate=True))
    lay(inbox)
    ((_, state, message),) = look(hospital, inbox)
    assert "read from other files" in message
    assert state == "waiting"
    remove_release(hospital, "patients", "r2")
    assert states(hospital, inbox) == [("r2.toml", "registered")]


@pytest.mark.slow
def test_a_release_that_was_registered_from_the_same_files_is_taken_as_it_is(hospital: Store, inbox: Path) -> None:
    """As where two schedules watch one folder."""
    lay(inbox)
    add_release(hospital, ReleaseSpec("patients", "r2", "bucketized", inbox / "r2.csv", bucket="bucket", is_candidate=True))
    done = run_due(hospital, now=MONDAY)
    assert done.events[0]["state"] == "registered"
    assert [run["candidate"] for run in done.runs] == ["r2"]


def test_a_file_that_is_replaced_while_it_is_read_is_not_registered(hospital: Store, inbox: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lay(inbox)

    def replaced(store: Store, spec: ReleaseSpec) -> Any:
        (inbox / "r2.csv").write_bytes((HOSPITAL / "r1.csv").read_bytes())
        return add_release(store, spec)

    monkeypatch.setattr(folders, "add_release", replaced)
    assert states(hospital, inbox) == [("r2.toml", "waiting")]
    assert list_releases(hospital, "patients") == []


@pytest.mark.slow
def test_an_anatomy_release_has_a_digest_for_each_of_its_files(tmp_path: Path, inbox: Path) -> None:
    store = stores.copy("anatomy", tmp_path)
    names = {"records": "records.csv", "values": "values.csv"}
    for name in names.values():
        (inbox / name).write_bytes((stores.FIXTURES / "anatomy" / name).read_bytes())
    digests = {name: hashlib.sha256((inbox / name).read_bytes()).hexdigest() for name in names.values()}
    manifest(inbox, "b", form="anatomy", file=None, **names, sha256=digests)
    add_schedule(store, ScheduleSpec("weekly", "clinic", "0 6 * * 1", watch=inbox), now=MONDAY - HOUR)
    assert [(name, state) for name, state, _ in look(store, inbox, "clinic")] == [("b.toml", "registered")]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"name": None}, "name is missing"),
        ({"form": None}, "form is missing"),
        ({"sha256": None}, "sha256 is missing"),
        ({"name": 2}, "name must be a text"),
        ({"bucket": ["b"]}, "bucket must be a text"),
        ({"buckets": "b"}, "key buckets, which means nothing"),
        ({"date": "2026-01-31"}, "date must be a day without quotes"),
        ({"columns": "zip"}, "columns must be a list"),
        ({"columns": []}, "columns must be a list"),
        ({"sha256": "abc"}, "64 hexadecimal digits"),
        ({"sha256": {"other.csv": "0" * 64}}, "digest for each file"),
        ({"file": "../r2.csv"}, "file must name a file in the folder"),
        ({"file": "/etc/passwd"}, "file must name a file in the folder"),
        ({"file": "link.csv"}, "file must name a file in the folder"),
        ({"file": "sub/../../r2.csv"}, "file must name a file in the folder"),
        ({"file": ""}, "file must name a file in the folder"),
        ({"file": "sub"}, "'sub' is none"),
        ({"file": None, "sha256": {}}, "one file"),
        ({"form": "anatomy"}, "two files"),
        ({"form": "shuffled"}, "not 'shuffled'"),
        ({"bucket": None}, "--bucket"),
        ({"name": "a,b"}, "cannot contain ','"),
        ({"unit": "row"}, "not 'row'"),
    ],
)
def test_a_manifest_that_cannot_be_right_is_refused_with_its_key(changes: dict[str, Any], message: str, inbox: Path, tmp_path: Path) -> None:
    (tmp_path / "secret.csv").write_text("somebody's secrets")
    (inbox / "link.csv").symlink_to(tmp_path / "secret.csv")
    (inbox / "sub").mkdir()
    path = manifest(inbox, **changes)
    with pytest.raises(DbauditError, match=message):
        read_manifest(inbox, path.read_bytes(), "patients")


def test_no_single_file_keeps_the_others_from_being_registered(hospital: Store, inbox: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (inbox / "a.toml").write_text("a=" + "1" * 5000)
    (inbox / "b.toml").write_text("a=" + "[" * 100_000)
    (inbox / "c.toml").symlink_to(inbox / "c.toml")
    (inbox / "loop.csv").symlink_to(inbox / "loop.csv")
    manifest(inbox, "d", file="loop.csv")
    manifest(inbox, "e", file="x" * 5000)
    manifest(inbox, "f", file="r2.csv/x")
    lay(inbox, "g")
    lay(inbox, "r2")
    register = folders._register

    def mistaken(store: Store, session: Any, told: Any) -> Any:
        return 1 / 0 if told.spec.name == "g" else register(store, session, told)

    monkeypatch.setattr(folders, "_register", mistaken)
    said = look(hospital, inbox)
    assert [(name, state) for name, state, _ in said] == [*((f"{letter}.toml", "refused") for letter in "abcdefg"), ("r2.toml", "registered")]
    for (_, _, message), reason in zip(said, ("number", "brackets", "not a file", "must name", "must name", "must name", "ZeroDivisionError"), strict=False):
        assert reason in message
    assert look(hospital, inbox) == [], "the log says so already"
    monkeypatch.setattr(folders, "_register", register)
    assert states(hospital, inbox) == [("g.toml", "registered")], "a mistake of ours is not held against a manifest"


def test_a_dataset_that_is_declared_again_is_another_one(hospital: Store, inbox: Path) -> None:
    lay(inbox)
    manifest(inbox, "wrong", bucket="bukcet")
    first = look(hospital, inbox)
    assert [state for _, state, _ in first] == ["registered", "refused"]
    remove_dataset(hospital, "patients", with_audits=True)
    add_dataset(hospital, DatasetSpec("patients", ("gender", "zip"), ("disease",), id="pseudonym"))
    assert look(hospital, inbox) == first
    assert [release["state"] for release in list_releases(hospital, "patients")] == ["candidate"]
    remove_release(hospital, "patients", "r2")
    assert look(hospital, inbox) == []


@pytest.mark.parametrize("raw", [b"form = ", b"\xff\xfe", b"name = 1\nname = 2"])
def test_what_is_no_toml_is_refused(raw: bytes, inbox: Path) -> None:
    with pytest.raises(DbauditError, match="not TOML in UTF-8"):
        read_manifest(inbox, raw, "patients")
