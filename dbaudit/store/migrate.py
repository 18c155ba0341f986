"""Bring a file of the store up to date: numbered changes that are recorded, and views that are loaded whole.

All that a new version changes in a file happens in one transaction: a crash, or a change that fails, leaves the file as it was, and the old
version can go on using it.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path

from dbaudit.engine import Engine, EngineError
from dbaudit.errors import StoreError
from dbaudit.store import catalogue
from dbaudit.store.catalogue import SqlFile


@dataclass(frozen=True)
class Part:
    """One of the two files of a store: its name in SQL, its migrations and its views."""

    name: str

    @property
    def migrations(self) -> list[SqlFile]:
        """The numbered changes."""
        return catalogue.files(f"schema/{self.name}")

    @property
    def views(self) -> list[SqlFile]:
        """The views, each after those that it reads."""
        return catalogue.in_order(self._view_files())

    def _view_files(self) -> list[SqlFile]:
        folders = catalogue.VIEW_FOLDERS if self.name == "audit" else (self.name,)
        return [file for folder in folders for file in catalogue.files(folder)]

    @property
    def view_digest(self) -> str:
        """SHA-256 over the text of all views."""
        return hashlib.sha256("".join(view.digest for view in self._view_files()).encode()).hexdigest()


AUDIT, ORIGINAL = Part("audit"), Part("original")


def is_current(engine: Engine, part: Part, path: Path) -> bool:
    """Whether all migrations and views of this version are there; raises StoreError for what is not a store, or a newer one."""
    if not _is_store(engine, part):
        raise StoreError(f"{path} is a DuckDB database, but not a dbaudit store. Choose another with --db, or make a new one with dbaudit init.")
    applied = _applied(engine, part)
    known = {_number(file): file for file in part.migrations}
    for number, digest in applied.items():
        if number not in known:
            raise StoreError(
                f"{path} was made by a newer version of dbaudit (change {number}; this one knows {max(known)}). Install the newer version to use it."
            )
        if known[number].digest != digest:
            raise StoreError(f"{path} was made by another line of dbaudit: its change {number} is not {known[number].path.name}. Use the version that made it.")
    return len(applied) == len(known) and _loaded(engine, part) == part.view_digest


def bring_up_to_date(engine: Engine, part: Part, path: Path) -> None:
    """Apply the migrations that are missing, load this version's views, and probe every one of them."""
    engine.run("choose the file", f"use {part.name}")
    with engine.transaction():
        applied = _applied(engine, part) if _is_store(engine, part) else {}
        for migration in part.migrations:
            if _number(migration) not in applied:
                try:
                    _apply(engine, migration)
                except EngineError as error:
                    raise StoreError(f"{path} cannot be brought up to date: change {migration.name} fails ({error.reason}). It was left as it was.") from error
        if _loaded(engine, part) != part.view_digest:
            _load_views(engine, part, path)


def _is_store(engine: Engine, part: Part) -> bool:
    """Whether the file has the columns by which every version knows its own; asked of the tables, because duckdb_columns() binds every view."""
    own = {"store": "store_id", "migration": "number, digest", "loaded_view": "digest"}
    query = "select table_name from duckdb_tables() where database_name = ? and schema_name = 'main'"
    if not set(own) <= {name for (name,) in engine.rows("is it a store", query, [part.name])}:
        return False
    try:
        for table, columns in own.items():
            engine.rows("is it ours", f"select {columns} from {part.name}.main.{table} limit 0")
    except EngineError:
        return False
    return True


def _applied(engine: Engine, part: Part) -> dict[int, str]:
    """Number and digest of the migrations that the file records."""
    return dict(engine.rows("applied changes", f"select number, digest from {part.name}.main.migration"))


def _loaded(engine: Engine, part: Part) -> str | None:
    """Digest of the views that the file has."""
    digest: str | None = engine.value("which views are loaded", f"select any_value(digest) from {part.name}.main.loaded_view")
    return digest


def _number(migration: SqlFile) -> int:
    return int(migration.name.split("_")[0])


def _apply(engine: Engine, migration: SqlFile) -> None:
    engine.run(f"migration {migration.name}", migration.text)
    comments = []
    for table, comment, columns in catalogue.table_comments(migration):
        comments.append(catalogue.comment_on("table", table, comment))
        comments += [catalogue.comment_on("column", f"{table}.{column}", text) for column, text in columns.items()]
    _run_together(engine, f"comments of {migration.name}", comments)
    engine.run(
        "record the migration", "insert into main.migration values (?, ?, ?, now() at time zone 'UTC')", [_number(migration), migration.name, migration.digest]
    )


def _run_together(engine: Engine, step: str, statements: list[str]) -> None:
    """Hand over many small statements at once: one by one, a new store would take twice as long."""
    if statements:
        engine.run(step, ";\n".join(statements))


def _load_views(engine: Engine, part: Part, path: Path) -> None:
    """Replace all views. A view over something that is gone would fail only when queried, so each is probed here."""
    schemas = catalogue.VIEW_FOLDERS if part is AUDIT else ("main",)
    old = engine.rows("views there", "select schema_name, view_name from duckdb_views() where database_name = ? and not internal", [part.name])
    for schema, view in old:
        if schema in schemas:
            engine.run(f"drop {schema}.{view}", f'drop view if exists {schema}."{view}" cascade')
    for file in part.views:
        name = f"{file.folder}.{file.name}"
        try:
            engine.run(f"view {name}", file.text)
            comments = [catalogue.comment_on("view", name, "\n".join(f"{key}: {text}" for key, text in file.header.items()))]
            comments += [catalogue.comment_on("column", f"{name}.{column}", text) for column, text in file.column_comments.items()]
            _run_together(engine, f"comments of {name}", [*comments, f"select * from {name} limit 0"])
        except EngineError as error:
            raise StoreError(f"{path} cannot be brought up to date: view {name} cannot be loaded ({error.reason}). It was left as it was.") from error
    engine.run("forget the old views", "delete from main.loaded_view")
    engine.run("record the views", "insert into main.loaded_view values (?, now() at time zone 'UTC')", [part.view_digest])
