"""A hospital that publishes again and again, and the little things that tests of its schedules need."""

from __future__ import annotations

import datetime
import hashlib
import json
from pathlib import Path
from typing import Any

import duckdb

from dbaudit import Store
from tests.sql.stores import FIXTURES

HOSPITAL = FIXTURES / "hospital"
MONDAY = datetime.datetime(2026, 6, 1, 6, 0)  # a Monday, in UTC
WEEK = datetime.timedelta(days=7)
HOUR = datetime.timedelta(hours=1)


def manifest(folder: Path, release: str = "r2", **changes: Any) -> Path:
    """The manifest of a bucketized release of the hospital, whose file may or may not be there; a key changed to None is left out."""
    file = HOSPITAL / "r2.csv"
    digest = hashlib.sha256(file.read_bytes()).hexdigest()
    told: dict[str, Any] = {"name": release, "form": "bucketized", "file": "r2.csv", "bucket": "bucket", "sha256": digest, **changes}
    path = folder / f"{release}.toml"
    path.write_text("".join(f"{key} = {_toml(value)}\n" for key, value in told.items() if value is not None), encoding="utf-8")
    return path


def _toml(value: Any) -> str:
    if isinstance(value, dict):
        return "{" + ", ".join(f"{json.dumps(key)} = {_toml(item)}" for key, item in value.items()) + "}"
    return value.isoformat() if isinstance(value, datetime.date) else json.dumps(value)


def lay(folder: Path, release: str = "r2", **changes: Any) -> Path:
    """The file and its manifest."""
    (folder / "r2.csv").write_bytes((HOSPITAL / "r2.csv").read_bytes())
    return manifest(folder, release, **changes)


def ask(store: Store, query: str) -> list[tuple[Any, ...]]:
    with duckdb.connect(str(store.files.audit), read_only=True) as connection:
        return connection.execute(query).fetchall()


def change(store: Store, statement: str) -> None:
    with duckdb.connect(str(store.files.audit)) as connection:
        connection.execute(statement)


def documents(path: Path) -> list[dict[str, Any]]:
    """What a command like `tee -a FILE` was told."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()] if path.exists() else []
