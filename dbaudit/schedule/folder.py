"""Watch a folder: a manifest beside each file says what it is, and when it is whole it becomes a candidate.

A file counts only with the digest that its manifest gives. One that is still being written therefore waits, and so does one that is not there yet.
"""

from __future__ import annotations

import datetime
import hashlib
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dbaudit import intake
from dbaudit.dataset import find_dataset
from dbaudit.errors import DbauditError, InputRejected, StoreError, UsageError
from dbaudit.intake import printable
from dbaudit.release import add_release
from dbaudit.schedule.lock import Joined
from dbaudit.spec import ReleaseSpec
from dbaudit.store import Session, Store

_LARGEST_MANIFEST = 1_000_000
_FILES = ("file", "records", "values", "value_map")
_TEXTS = ("name", "form", *_FILES, "bucket", "count", "unit", "null_value")
_KEYS = (*_TEXTS, "date", "columns", "sha256")


@dataclass(frozen=True)
class Manifest:
    """A candidate as its manifest describes it: the release, the digest of each of its files, and the columns that they may have."""

    spec: ReleaseSpec
    digests: dict[Path, str]
    columns: frozenset[str] | None

    @property
    def data_files(self) -> list[Path]:
        """The files of the release itself."""
        return [path for path in (self.spec.file, self.spec.records, self.spec.values) if path is not None]

    def unready(self) -> str | None:
        """Why the files cannot be read yet, or None where each is what the manifest says."""
        for path, digest in self.digests.items():
            if not path.is_file():
                return f"{printable(path.name)} is not there yet."
            with path.open("rb") as file:
                if hashlib.file_digest(file, "sha256").hexdigest() != digest:
                    return f"{printable(path.name)} does not have the SHA-256 of the manifest: it is still being written, or it is another file."
        return None

    def is_of(self, release_digest: str) -> bool:
        """Whether a release was read from these very files."""
        return set(self.digests.values()) == set(release_digest.split())


@dataclass(frozen=True)
class Seen:
    """What became of a manifest."""

    manifest: str
    manifest_digest: str
    state: str
    message: str
    release: str | None = None
    release_digest: str | None = None


class _NotYet(Exception):
    """The manifest is in order, but the candidate cannot be registered now."""


def look(store: Store, claim: dict[str, Any], at: datetime.datetime) -> list[dict[str, Any]]:
    """Register what is new in the folder of a run's schedule, and keep in the log what waits and what was refused; returns what the log did not say before."""
    folder = Path(claim["watch_folder"])
    with store.reading() as session:
        seen_for = {"schedule_id": claim["schedule_id"], "dataset_id": find_dataset(session, claim["dataset"]).dataset_id}
        logged = {row["manifest"]: row for row in session.rows("read/schedule_last_event", **seen_for)}
    try:
        manifests = sorted(path for path in folder.iterdir() if path.suffix == ".toml" and not path.name.startswith("."))
    except OSError as error:
        raise UsageError(f"the watched folder {folder} cannot be read: {(error.strerror or str(error)).lower()}. Put it back.") from error
    news = []
    for path in manifests:
        event = _consider(store, {**claim, **seen_for}, at, folder, path, logged.get(printable(path.name)))
        if event is not None:
            news.append(event)
    return news


def read_manifest(folder: Path, raw: bytes, dataset: str) -> Manifest:
    """Read a manifest; raises InputRejected, or UsageError, that names the key."""
    try:
        told = tomllib.loads(raw.decode("utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise InputRejected(f"it is not TOML in UTF-8 ({printable(str(error))}). Correct it.") from None
    except (ValueError, RecursionError):
        raise InputRejected("it has a number that is too long, or too many brackets within each other, which no manifest needs. Correct it.") from None
    unknown = sorted(set(told) - set(_KEYS))
    if unknown:
        raise InputRejected(f"it has a key {printable(unknown[0])}, which means nothing. Known: {', '.join(_KEYS)}.")
    for key in _TEXTS:
        if key in told and not isinstance(told[key], str):
            raise InputRejected(f"{key} must be a text in quotes.")
    for key in ("name", "form", "sha256"):
        if key not in told:
            raise InputRejected(f"{key} is missing.")
    date = told.get("date")
    if date is not None and type(date) is not datetime.date:
        raise InputRejected("date must be a day without quotes: date = 2026-01-31")
    paths = {key: _inside(folder, key, told[key]) for key in _FILES if key in told}
    others = {key: told.get(key) for key in ("bucket", "count", "unit", "null_value")}
    given: dict[str, Any] = {**paths, **others}
    spec = ReleaseSpec(dataset, told["name"], told["form"], **given, is_candidate=True, published_on=date)
    return Manifest(spec, _digests(told, paths), _columns(told))


def _inside(folder: Path, key: str, name: str) -> Path:
    """A file of the folder; a path that leaves it, even through a link, is refused: a manifest may come from somebody who may not read everything."""
    path = folder / name
    if "\0" in name or not name or Path(name).is_absolute() or ".." in Path(name).parts or not _leads_into(folder, path):
        raise InputRejected(f"{key} must name a file in the folder of the manifest, not {printable(name)!r}.")
    if path.exists() and not path.is_file():
        raise InputRejected(f"{key} must name a file, and {printable(name)!r} is none.")
    return path


def _leads_into(folder: Path, path: Path) -> bool:
    """Whether a path stays in the folder when all links are followed. Links that lead in a circle, and names that no system takes, lead nowhere."""
    try:
        path.stat()
    except (FileNotFoundError, PermissionError):
        pass  # it may still come, or be opened to us
    except OSError:
        return False
    return path.resolve().is_relative_to(folder.resolve())


def _digests(told: dict[str, Any], paths: dict[str, Path]) -> dict[Path, str]:
    """The digest of each file: a text where there is one file, else a table from the file's name to its digest."""
    given = told["sha256"]
    if isinstance(given, str) and len(paths) == 1:
        given = dict.fromkeys((told[key] for key in paths), given)
    if not isinstance(given, dict) or set(given) != {told[key] for key in paths}:
        raise InputRejected('sha256 must give a digest for each file: sha256 = "..." for one file, else a table [sha256] with lines "r.csv" = "...".')
    for name, digest in given.items():
        if not isinstance(digest, str) or len(digest) != 64 or set(digest.lower()) - set("0123456789abcdef"):
            raise InputRejected(f"sha256 of {printable(name)} must be 64 hexadecimal digits, as sha256sum prints them.")
    return {path: given[told[key]].lower() for key, path in paths.items()}


def _columns(told: dict[str, Any]) -> frozenset[str] | None:
    given = told.get("columns")
    if given is None:
        return None
    if not isinstance(given, list) or not given or not all(isinstance(column, str) for column in given):
        raise InputRejected('columns must be a list of the columns of the files: columns = ["zip", "disease", "bucket"]')
    return frozenset(given)


def _consider(store: Store, claim: dict[str, Any], at: datetime.datetime, folder: Path, path: Path, logged: dict[str, Any] | None) -> dict[str, Any] | None:
    """Do with one manifest what there is to do; returns the event where there is something new to say.

    A store that cannot be used ends the round. Even a mistake of ours is else the manifest's own: no single file may keep
    the others, and what is published, from being audited. It is logged without a digest, so that every run tries again.
    """
    try:
        return _attempt(store, claim, at, folder, path, logged)
    except StoreError:
        raise
    except Exception as error:
        reason = f"dbaudit could not deal with it ({type(error).__name__}), which is a mistake in dbaudit: please report it. It is tried again in every run."
        return _log(store, claim, at, Seen(printable(path.name), "", "refused", reason), logged)


def _attempt(store: Store, claim: dict[str, Any], at: datetime.datetime, folder: Path, path: Path, logged: dict[str, Any] | None) -> dict[str, Any] | None:
    try:
        raw = _bytes(folder, path)
    except (OSError, InputRejected) as error:
        reason = str(error) if isinstance(error, InputRejected) else f"it cannot be read: {(error.strerror or str(error)).lower()}."
        return _log(store, claim, at, Seen(printable(path.name), "", "refused", reason), logged)
    name, digest = printable(path.name), hashlib.sha256(raw).hexdigest()
    if logged and logged["manifest_digest"] == digest and logged["state"] in ("registered", "refused"):
        return None  # the digests of the files stand in the manifest: while it is the same, so are they
    release: str | None = None
    manifest: Manifest | None = None
    try:
        manifest = read_manifest(folder, raw, claim["dataset"])
        release = manifest.spec.name
        unready = manifest.unready()
        if unready is not None:
            raise _NotYet(unready)
        with store.writing() as session:
            message, release_digest = _register(store, session, manifest)
            seen = Seen(name, digest, "registered", message, release, release_digest)
            return _log_in(session, claim, at, seen, logged)
    except _NotYet as reason:
        seen = Seen(name, digest, "waiting", str(reason), release)
    except StoreError:
        raise
    except DbauditError as error:
        changed = _why_unready(manifest)  # a file that was replaced while it was read
        seen = Seen(name, digest, "waiting" if changed else "refused", changed or str(error), release)
    except OSError as error:
        seen = Seen(name, digest, "waiting", _unreadable(error), release)
    return _log(store, claim, at, seen, logged)


def _why_unready(manifest: Manifest | None) -> str | None:
    try:
        return manifest.unready() if manifest else None
    except OSError as error:
        return _unreadable(error)


def _unreadable(error: OSError) -> str:
    return f"a file cannot be read: {(error.strerror or str(error)).lower()}."


def _bytes(folder: Path, path: Path) -> bytes:
    if not _leads_into(folder, path) or not path.is_file():
        raise InputRejected("it is not a file of this folder.")
    if path.stat().st_size > _LARGEST_MANIFEST:
        raise InputRejected(f"it is larger than {_LARGEST_MANIFEST:,} bytes, which no manifest is.")
    return path.read_bytes()


def _register(store: Store, session: Session, manifest: Manifest) -> tuple[str, str]:
    """Make a candidate of the files; returns what to say of it, and its digest. What is registered from the same files already is taken as it is."""
    spec = manifest.spec
    dataset = find_dataset(session, spec.dataset)
    there = session.engine.dicts("same name", "select * from report.release where dataset = ? and release = ?", [dataset.name, spec.name])
    if there and manifest.is_of(there[0]["digest"]):
        known = {"candidate": "as a candidate", "published": "and published", "withdrawn": "published, and withdrawn"}[there[0]["state"]]
        return f"it was taken as {spec.name}, which had been registered from the same files {known}.", there[0]["digest"]
    if there:
        raise _NotYet(
            f"{spec.dataset} has a release {spec.name} that was read from other files. Give this one another name, "
            f"or take the other back: dbaudit release remove {spec.dataset} {spec.name}"
        )
    _refuse_columns(session, manifest)
    registered = add_release(Joined(store, session), spec)
    if not manifest.is_of(registered.row["digest"]):
        raise _NotYet("its files changed while they were read.")
    remarks = "".join(f" Note: {remark}" for remark in registered.remarks)
    return f"it was registered as the candidate {spec.name}, with {registered.row['record_count']:,} records.{remarks}", registered.row["digest"]


def _refuse_columns(session: Session, manifest: Manifest) -> None:
    """The files have the columns that the manifest lists, no more and no less: a column that nobody expects may name people."""
    if manifest.columns is None:
        return
    found: set[str] = set()
    for path in manifest.data_files:
        found |= set(intake.columns(session.engine, intake.find(path), manifest.spec.bucket))
    for what, names in (("has a column that the manifest does not list", found - manifest.columns), ("lacks a column", manifest.columns - found)):
        if names:
            raise InputRejected(f"release {manifest.spec.name} {what}: {printable(min(names))}. Correct the file, or columns. Nothing was stored.")


def _log(store: Store, claim: dict[str, Any], at: datetime.datetime, seen: Seen, logged: dict[str, Any] | None) -> dict[str, Any] | None:
    with store.writing() as session:
        return _log_in(session, claim, at, seen, logged)


def _log_in(session: Session, claim: dict[str, Any], at: datetime.datetime, seen: Seen, logged: dict[str, Any] | None) -> dict[str, Any] | None:
    """Write what was seen; where the log says so already, only when it was last seen."""
    if logged and all(logged[key] == getattr(seen, key) for key in ("manifest_digest", "state", "message")):
        session.engine.run("seen again", "update schedule.event set last_at = greatest(first_at, ?) where event_id = ?", [at, logged["event_id"]])
        return None
    session.run("write/schedule_event", schedule_id=claim["schedule_id"], run_id=claim["run_id"], dataset_id=claim["dataset_id"], at=at, **vars(seen))
    (event,) = session.engine.dicts("event", "select * from report.schedule_event order by event_id desc limit 1")
    return event
