"""A prepared store, copied for each test, and a way to run commands on it without starting a process."""

from __future__ import annotations

import csv
import io
import os
import shutil
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pyarrow.parquet
import pytest
import typer

from dbaudit import AuditSpec, Store, cli, run_audit

Run = Callable[..., "Ended"]


@dataclass(frozen=True)
class Ended:
    """How a command ended and what it said."""

    code: int
    out: str
    err: str


@dataclass(frozen=True)
class Place:
    """A folder for a test's files, with a store in a folder of its own so that a stray file beside it is seen."""

    folder: Path
    store: Path
    run: Run = field(repr=False)

    def write(self, name: str, content: str | bytes) -> Path:
        """Write a file as it is."""
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    def add(self, *arguments: str | Path) -> Ended:
        """Run a command that must succeed."""
        ended = self.run(*arguments)
        assert ended.code == 0, ended
        return ended

    def sql(self, query: str) -> list[dict[str, Any]]:
        """The answer to a query over the store's file, as any client would get it."""
        with duckdb.connect(str(self.store), read_only=True) as connection:
            cursor = connection.execute(query)
            names = [column[0] for column in cursor.description or ()]
            return [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]

    def posterior(self, dataset: str, *releases: str) -> dict[tuple[Any, ...], float]:
        """Audit a dataset and tell report.posterior by person and value, without what is impossible."""
        return self._audited(dataset, "person, value", "report.posterior", releases)

    def qi_posterior(self, dataset: str, qi: str, *releases: str) -> dict[tuple[Any, ...], float]:
        """Audit a dataset and tell report.qi_posterior by some expressions over its quasi-identifiers, and value."""
        return self._audited(dataset, f"{qi}, value", "report.qi_posterior", releases)

    def _audited(self, dataset: str, key: str, view: str, releases: tuple[str, ...]) -> dict[tuple[Any, ...], float]:
        audit = run_audit(Store(self.store), AuditSpec(dataset, releases)).audit_id
        rows = self.sql(f"select {key}, probability from {view} where audit_id = {audit} and probability > 0")
        found = {tuple(row.values())[:-1]: row["probability"] for row in rows}
        assert len(found) == len(rows), "a key occurs twice"
        return found


def csv_text(rows: Sequence[Sequence[Any]], delimiter: str = ",") -> str:
    """Rows as CSV, the first of them the header."""
    text = io.StringIO()
    csv.writer(text, delimiter=delimiter, lineterminator="\n").writerows(rows)
    return text.getvalue()


def parquet_bytes(columns: dict[str, Any]) -> bytes:
    """Columns as a Parquet file."""
    sink = io.BytesIO()
    pyarrow.parquet.write_table(pa.table(columns), sink)
    return sink.getvalue()


def dump(store: Path) -> dict[str, list[str]]:
    """Every row of every table in both files of a store, sorted; and which files lie there."""
    content = {"files": sorted(str(path.relative_to(store.parent)) for path in store.parent.rglob("*"))}
    for path in (store, store.with_name("store.original.duckdb")):
        with duckdb.connect(str(path), read_only=True) as connection:
            tables = connection.execute("select schema_name, table_name from duckdb_tables() where not internal order by all").fetchall()
            for schema, table in tables:
                rows = connection.execute(f'select cast(t as varchar) from "{schema}"."{table}" as t').fetchall()
                content[f"{path.name} {schema}.{table}"] = sorted(row[0] for row in rows)
    return content


@cache
def _command() -> Callable[[], Any]:
    """The program's commands, put together once instead of for each of hundreds of runs."""
    return typer.main.get_command(cli.app)


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """Run a command in this process, as the installed program would."""
    monkeypatch.setattr(os, "umask", lambda mask: mask)  # the tests' own files must not change with it
    monkeypatch.setattr(cli, "app", _command())

    def call(*arguments: str | Path) -> Ended:
        monkeypatch.setattr(sys, "argv", ["dbaudit", *map(str, arguments)])
        capsys.readouterr()
        code: Any = 0
        try:
            cli.main()
        except SystemExit as end:
            code = end.code
        said = capsys.readouterr()
        return Ended(int(code or 0), said.out, said.err)

    return call


@pytest.fixture(scope="session")
def empty_store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a store without datasets; tests copy it."""
    folder = tmp_path_factory.mktemp("empty")
    Store.create(folder / "store.duckdb")
    return folder


def place_at(store: Path, tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> Place:
    """A folder for files, which is the current one, and commands that use a store."""
    monkeypatch.setenv("DBAUDIT_DB", str(store))
    monkeypatch.delenv("DBAUDIT_ORIGINAL", raising=False)
    monkeypatch.setenv("COLUMNS", "500")  # the words of a message are looked for in one line
    (tmp_path / "files").mkdir()
    monkeypatch.chdir(tmp_path / "files")
    return Place(tmp_path / "files", store, run)


@pytest.fixture
def place(tmp_path: Path, empty_store: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> Place:
    """A folder with an empty store, and commands that use it."""
    shutil.copytree(empty_store, tmp_path / "store")
    return place_at(tmp_path / "store" / "store.duckdb", tmp_path, run, monkeypatch)
