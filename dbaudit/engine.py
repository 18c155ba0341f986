"""Where the SQL runs: one DuckDB instance in memory, to which the store's files are attached.

Everything that is said to DuckDB passes through `Engine`, so that a failing statement is raised again with the name of the
step, locks and full disks are recognised in one place, and no engine text reaches a user bare.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import duckdb

from dbaudit.errors import DbauditError, StoreError, StoreLocked

if TYPE_CHECKING:
    import pyarrow as pa  # loads NumPy too, which most commands can do without

Parameters = Mapping[str, Any] | Sequence[Any]
Result = TypeVar("Result")

# Extensions would be fetched from the network, and names that DuckDB does not know would be looked up among Python's variables.
_SETTINGS: dict[str, Any] = {
    "autoinstall_known_extensions": False,
    "autoload_known_extensions": False,
    "allow_community_extensions": False,
    "allow_persistent_secrets": False,
    "python_enable_replacements": False,
}

_DAMAGED = "Corrupt database file"  # every block carries a checksum, which DuckDB compares when it reads the block
_TOO_SHORT = "Could not read enough bytes"


# What the system says when nothing more can be written: a full disk, a quota, a limit on the size of a file.
_FULL = ("no space left on device", "disk full", "quota exceeded", "file too large")


class EngineError(DbauditError):
    """A statement failed; `step` says what it was for and `reason` is the engine's first line."""

    def __init__(self, step: str, reason: str, statement: str = "") -> None:
        """Keep the parts: the caller knows which sentence its reader needs."""
        super().__init__(f"{step}: {reason}")
        self.step, self.reason, self.statement = step, reason, statement


class Engine:
    """A DuckDB connection and the only code that talks to it."""

    def __init__(self, spill: Path | None = None) -> None:
        """Open an empty instance in memory; what does not fit there goes to the folder `spill` and is removed again."""
        settings = dict(_SETTINGS)
        if spill is not None:
            settings["temp_directory"] = str(spill)
        self._connection = duckdb.connect(":memory:", config=settings)
        self._connection.execute("set enable_progress_bar = false")  # it would be printed among the data
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="duckdb")
        self._attached: list[Path] = []

    def attach(self, path: Path, name: str, *, read_only: bool) -> None:
        """Attach a database file under a name."""
        quoted = str(path).replace("'", "''")
        try:
            self._connection.execute(f"attach '{quoted}' as {name} ({'read_only' if read_only else 'read_write'}, type duckdb)")
        except duckdb.Error as error:
            raise _about_file(path, error) from error
        self._attached.append(path)

    def run(self, step: str, statement: str, parameters: Parameters | None = None) -> None:
        """Run one statement, or several without parameters."""
        with self._named(step, statement):
            self._wait_for(lambda: self._connection.execute(statement, parameters))

    def rows(self, step: str, statement: str, parameters: Parameters | None = None) -> list[tuple[Any, ...]]:
        """Run a query and return its rows: for a few of them."""
        with self._named(step, statement):
            return self._wait_for(lambda: self._connection.execute(statement, parameters).fetchall())

    def dicts(self, step: str, statement: str, parameters: Parameters | None = None) -> list[dict[str, Any]]:
        """Run a query and return its rows by column name: for a few of them."""
        with self._named(step, statement):
            rows = self._wait_for(lambda: self._connection.execute(statement, parameters).fetchall())
            names = [column[0] for column in self._connection.description or ()]
            return [dict(zip(names, row, strict=True)) for row in rows]

    def value(self, step: str, statement: str, parameters: Parameters | None = None) -> Any:
        """Run a query of one row and one column and return that value; None where there is no row."""
        rows = self.rows(step, statement, parameters)
        return rows[0][0] if rows else None

    def arrow(self, step: str, statement: str, parameters: Parameters | None = None) -> pa.Table:
        """Run a query and return its columns as Arrow."""
        with self._named(step, statement):
            return self._wait_for(lambda: self._connection.sql(statement, params=parameters).to_arrow_table())

    def answer(self, query: str, variant_as: str) -> pa.Table:
        """The answer to a user's query as Arrow. A VARIANT has no Arrow type that clients know: it becomes json or varchar."""
        with self._named("query", query):
            relation = self._connection.sql(query)
            if relation is None:
                raise EngineError("query", "it gives no rows")
            variants = [name.replace('"', '""') for name, kind in zip(relation.columns, relation.types, strict=True) if str(kind) == "VARIANT"]
            if variants:
                relation = relation.project("* replace (" + ", ".join(f'cast("{name}" as {variant_as}) as "{name}"' for name in variants) + ")")
            kinds = [str(kind) for kind in relation.types]
            return _marked(self._wait_for(relation.to_arrow_table), kinds)

    def lend(self, name: str, table: pa.Table) -> None:
        """Let statements read an Arrow table under a name, until `take_back`."""
        self._connection.register(name, table)

    def take_back(self, name: str) -> None:
        """End what `lend` began."""
        self._connection.unregister(name)

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """All statements inside count together or not at all."""
        self.run("begin", "begin transaction")
        try:
            yield
            self._commit()
        except BaseException:
            self._roll_back()
            raise

    def _commit(self) -> None:
        try:
            self.run("commit", "commit")
        except EngineError as error:
            raise StoreError(f"nothing was stored: {error.reason}. The store is as it was before this command.") from error

    def _roll_back(self) -> None:
        # A commit that failed has already ended the transaction; closing the connection undoes whatever is left.
        with suppress(duckdb.Error):
            self._connection.execute("rollback")

    def confine(self, threads: int) -> None:
        """From here on: no files, no network, no extensions, and no way to change that back.

        External access alone is not enough: DuckDB still lets statements write to the files that are attached (even read-only
        ones), to their logs and to the folder for spilling. Without a file system it cannot; what is open stays readable.
        """
        for setting in (
            f"threads = {int(threads)}",
            "temp_directory = ''",
            "secret_directory = ''",
            "enable_external_access = false",
            "disabled_filesystems = 'LocalFileSystem'",
            "lock_configuration = true",
        ):
            self._connection.execute(f"set {setting}")

    @contextmanager
    def _named(self, step: str, statement: str) -> Iterator[None]:
        """Raise the engine's errors again as ours, with the step's name."""
        try:
            yield
        except duckdb.Error as error:
            reason = _first_line(error)
            if any(sign in str(error).lower() for sign in _FULL):
                raise StoreError(f"{step}: the disk is full, or takes no more. Free some room and try again; the store is as it was before.") from error
            if isinstance(error, duckdb.OutOfMemoryException):
                raise StoreError(f"{step}: not enough memory ({reason}). Try again on a machine with more, or with fewer releases.") from error
            if _DAMAGED in str(error) or any(f'{_TOO_SHORT} from file "{path}"' in str(error) for path in self._attached):
                raise StoreError(f"{step}: the store is damaged ({reason}). Put back a copy of both its files.") from error
            raise EngineError(step, reason, statement) from error

    def _wait_for(self, work: Callable[[], Result]) -> Result:
        """Do something in another thread. In the main one, Ctrl-C would be noticed only when DuckDB returns, which may be never."""
        future = self._thread.submit(work)
        try:
            return future.result()
        except KeyboardInterrupt:
            while not wait([future], timeout=0.05).done:
                self._connection.interrupt()
            raise

    def close(self) -> None:
        """Let go of all files."""
        self._thread.shutdown()
        self._connection.close()


def _marked(table: pa.Table, kinds: list[str]) -> pa.Table:
    """Say in the schema which columns of text are JSON, which Arrow does not tell, and give columns of one name names of their own."""
    import pyarrow as pa

    fields: list[pa.Field] = []
    for field, kind in zip(table.schema, kinds, strict=True):
        taken = {other.name for other in fields}
        candidates = itertools.chain([field.name], (f"{field.name}_{number}" for number in itertools.count(1)))
        name = next(candidate for candidate in candidates if candidate not in taken)
        fields.append(field.with_name(name).with_metadata({"json": "true"} if kind == "JSON" else None))
    return pa.Table.from_arrays(table.columns, schema=pa.schema(fields))


def _about_file(path: Path, error: duckdb.Error) -> DbauditError:
    """Why a database file could not be attached, in a sentence that says what to do."""
    text = str(error)
    held = re.search(r"Conflicting lock is held in (.*?) \(PID (\d+)\)", text)
    if held:
        return StoreLocked(f"{path} is in use by process {held[2]} ({Path(held[1]).name}). Wait for it to end, or give --wait SECONDS.")
    if isinstance(error, duckdb.ResourceInUseException):
        return StoreLocked(f"{path} is in use by this very process. Close what has it open, or wait for it.")
    if "lock" in text and "set lock" in text:
        return StoreLocked(f"{path} is in use by another process. Wait for it to end, or give --wait SECONDS.")
    if "Permission denied" in text:
        return StoreError(f"{path} may not be opened: permission denied. Ask its owner, or choose another store with --db.")
    if "not a valid DuckDB database file" in text:
        return StoreError(f"{path} is not a dbaudit store: it is no DuckDB file. Choose another with --db, or make a new one with dbaudit init.")
    if _DAMAGED in text or _TOO_SHORT in text:
        return StoreError(f"{path} is damaged ({_first_line(error)}). Put back a copy of both files of the store.")
    return StoreError(f"{path} cannot be opened: {_first_line(error)}")


def _first_line(error: duckdb.Error) -> str:
    """The engine's message without its kind, its hints and its excerpt of the statement."""
    line = str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
    return re.sub(r"^[A-Za-z -]+ Error: ", "", line)
