"""The store: two DuckDB files, opened only for as long as one piece of work takes.

`Store` names the files and opens nothing. `reading`, `writing` and `querying` each give a `Session`, which owns the
connection; when it ends the files are let go, so that other processes can read and write between two commands.
"""

from __future__ import annotations

import os
import shutil
import time
import uuid
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dbaudit.engine import Engine
from dbaudit.errors import StoreError, StoreLocked, UsageError
from dbaudit.store import catalogue, migrate
from dbaudit.store.files import Files, already_there, must_be_file, put_in_place, sweep_workshops, workshop, workshops

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["Session", "Store"]

_RETRY_SECONDS = 0.1


class Session:
    """An open store. Statements live in files under sql/ and are named by folder and stem."""

    def __init__(self, engine: Engine) -> None:
        """Use `Store.reading`, `Store.writing` or `Store.querying` instead."""
        self.engine = engine

    def run(self, name: str, **parameters: Any) -> None:
        """Run a statement file."""
        file = catalogue.statement_file(name)
        self.engine.run(name, file.text, _taken(file, parameters))

    def rows(self, name: str, **parameters: Any) -> list[dict[str, Any]]:
        """Run a query file and return its rows by column name: for a few of them."""
        file = catalogue.statement_file(name)
        return self.engine.dicts(name, file.text, _taken(file, parameters))

    def row(self, name: str, **parameters: Any) -> dict[str, Any]:
        """Run a query file of exactly one row."""
        (row,) = self.rows(name, **parameters)
        return row

    def arrow(self, name: str, **parameters: Any) -> pa.Table:
        """Run a query file and return its columns as Arrow."""
        file = catalogue.statement_file(name)
        return self.engine.arrow(name, file.text, _taken(file, parameters))

    def remove_rows(self, key: str, value: Any, *, schema: str) -> None:
        """Delete the rows with that key from every table of a schema that has such a column."""
        tables = "duckdb_columns() join duckdb_tables() using (database_name, schema_name, table_name)"
        having = f"select table_name from {tables} where schema_name = ? and column_name = ?"
        for (table,) in self.engine.rows("tables", having, [schema, key]):
            self.engine.run(f"remove from {schema}.{table}", f"delete from {schema}.{table} where {key} = ?", [value])


def _taken(file: catalogue.SqlFile, parameters: Mapping[str, Any]) -> dict[str, Any] | None:
    """The parameters that a statement takes: DuckDB refuses the others, and callers may offer more than one file needs."""
    return {name: parameters[name] for name in file.parameters} or None


class Store:
    """A store on disk.

    >>> store = Store.create("audit.duckdb")  # doctest: +SKIP
    >>> with store.reading() as session:  # doctest: +SKIP
    ...     session.engine.rows("how many", "select count(*) from result.audit")
    """

    def __init__(self, path: Path | str | None = None, *, wait: float = 0.0) -> None:
        """Name a store: `path`, else the variable DBAUDIT_DB, else audit.duckdb; `wait` seconds where another process has it open."""
        self.files = Files.at(path or os.environ.get("DBAUDIT_DB") or "audit.duckdb")
        self.wait = wait

    @classmethod
    def create(cls, path: Path | str | None = None) -> Store:
        """Make an empty store. Refuses to touch anything that is already there."""
        store = cls(path)
        store._create()
        return store

    @contextmanager
    def reading(self, *, truth: bool = False) -> Iterator[Session]:
        """A session that cannot change the store; with `truth`, the publisher's microdata can be read as `original`."""
        with self._current(read_only=True, truth=truth) as engine:
            yield Session(engine)

    @contextmanager
    def writing(self, *, truth: bool = False) -> Iterator[Session]:
        """A session in one transaction: all that happens inside counts together, or not at all. The truth, if asked for, can only be read."""
        with self._current(read_only=False, truth=truth) as engine, engine.transaction():
            yield Session(engine)

    @contextmanager
    def loading(self) -> Iterator[Session]:
        """A session that may write the truth. One transaction cannot span two files: the caller opens them in turn."""
        with self._current(read_only=False, truth=True, load=True) as engine:
            yield Session(engine)

    @contextmanager
    def querying(self, *, truth: bool = False, threads: int = 1) -> Iterator[Session]:
        """A session for SQL that somebody else wrote: nothing but the store can be read, and nothing changed.

        With one thread the same query gives the same digits every time; sums over several are added in any order.
        """
        with self._current(read_only=True, truth=truth) as engine:
            engine.confine(threads)
            yield Session(engine)

    def _parts(self, truth: bool) -> list[tuple[migrate.Part, Path]]:
        parts = [(migrate.AUDIT, self.files.audit)]
        return [*parts, (migrate.ORIGINAL, self.files.original)] if truth else parts

    @contextmanager
    def _current(self, *, read_only: bool, truth: bool, load: bool = False) -> Iterator[Engine]:
        """Refuse what is no store of ours before anything is opened for writing; migrate where that is needed; then open as asked."""
        deadline = time.monotonic() + self.wait
        with self._opened(deadline, read_only=True, truth=truth) as engine:
            current = [migrate.is_current(engine, part, path) for part, path in self._parts(truth)]
            if truth:
                self._refuse_strange_truth(engine)
            if read_only and all(current):
                yield engine
                return
        if not all(current):
            with self._opened(deadline, read_only=False, truth=truth, load=True) as engine:
                for part, path in self._parts(truth):
                    migrate.bring_up_to_date(engine, part, path)
        with self._opened(deadline, read_only=read_only, truth=truth, load=load) as engine:
            yield engine

    @contextmanager
    def _opened(self, deadline: float, *, read_only: bool, truth: bool, load: bool = False) -> Iterator[Engine]:
        """Attach the files; the truth for writing only where it is loaded or brought up to date."""
        engine = Engine(self.files.truth_spill if truth else self.files.spill)
        try:
            for part, path in self._parts(truth):
                _attach(engine, part, path, deadline, read_only=read_only or (part is migrate.ORIGINAL and not load))
            if not read_only:
                # Nobody else can have the store open now: what lies here was spilled by a process that was killed.
                for spilled in (self.files.spill, self.files.truth_spill):
                    shutil.rmtree(spilled, ignore_errors=True)
            engine.run("choose the audit file", f"use {migrate.AUDIT.name}")
            yield engine
        finally:
            engine.close()

    def _refuse_strange_truth(self, engine: Engine) -> None:
        ids = {_store_id(engine, part) for part, _ in self._parts(truth=True)}
        if len(ids) > 1:
            raise StoreError(
                f"{self.files.original} does not belong to {self.files.audit}: they carry different store ids. "
                "Put the right file there, or name it with DBAUDIT_ORIGINAL."
            )

    def _create(self) -> None:
        """Build both files in hidden folders and put them in place when they are whole, the audit file last: it makes the store exist."""
        self.files.refuse_bad_names()
        for path in (self.files.audit, self.files.original):
            if not path.parent.is_dir():
                raise UsageError(f"there is no folder {path.parent}. Make it first, or choose another place with --db.")
        if os.path.lexists(self.files.audit):
            raise already_there(self.files.audit)
        unfinished = self._unfinished_id() if os.path.lexists(self.files.original) else None
        store_id = unfinished or str(uuid.uuid4())
        try:
            with workshop(self.files.audit, store_id) as new_audit, workshop(self.files.original, store_id) as new_original:
                _build(Files(new_audit, new_original), store_id)
                if unfinished is None:
                    put_in_place(new_original, self.files.original)
                put_in_place(new_audit, self.files.audit)
        except OSError as error:
            raise StoreError(f"no store can be made at {self.files.audit}: {(error.strerror or str(error)).lower()}.") from error
        sweep_workshops(self.files.audit)
        sweep_workshops(self.files.original)

    def _unfinished_id(self) -> str:
        """The id of a store that a killed `init` left without its audit file; raises UsageError if this may be somebody's truth."""
        engine = Engine()
        try:
            _attach(engine, migrate.ORIGINAL, self.files.original, time.monotonic(), read_only=True)
            migrate.is_current(engine, migrate.ORIGINAL, self.files.original)
            store_id = _store_id(engine, migrate.ORIGINAL)
            if workshops(self.files.audit, store_id) and engine.value("any truth", "select count(*) = 0 from original.main.microdata"):
                return store_id
        except StoreError:
            pass
        finally:
            engine.close()
        raise already_there(self.files.original)


def _attach(engine: Engine, part: migrate.Part, path: Path, deadline: float, *, read_only: bool) -> None:
    """Attach one file, waiting until the deadline for whoever holds it."""
    must_be_file(path, is_truth=part is migrate.ORIGINAL)
    while True:
        try:
            return engine.attach(path, part.name, read_only=read_only)
        except StoreLocked:
            if time.monotonic() >= deadline:
                raise
            time.sleep(_RETRY_SECONDS)


def _store_id(engine: Engine, part: migrate.Part) -> str:
    return str(engine.value("store id", f"select store_id from {part.name}.main.store"))


def _build(files: Files, store_id: str) -> None:
    """Fill two new files. They hold people's secrets: only their owner may read them."""
    engine = Engine()
    try:
        for part, path in ((migrate.AUDIT, files.audit), (migrate.ORIGINAL, files.original)):
            engine.attach(path, part.name, read_only=False)
            migrate.bring_up_to_date(engine, part, path)
            engine.run("name the store", f"insert into {part.name}.main.store values (?, now() at time zone 'UTC')", [store_id])
            engine.run("write it out", f"checkpoint {part.name}")
            path.chmod(0o600)
    finally:
        engine.close()
