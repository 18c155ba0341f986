"""What the tests of the store share: the command as a process, everything that a store holds, and tables of people to fill it with."""

from __future__ import annotations

import itertools
import multiprocessing
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from multiprocessing.context import ForkServerProcess
from pathlib import Path

import duckdb
import pytest

from dbaudit import Store
from dbaudit.engine import Engine
from dbaudit.store import catalogue
from dbaudit.store.catalogue import SqlFile
from dbaudit.store.files import Files

_processes = multiprocessing.get_context("forkserver")
_processes.set_forkserver_preload(["tests.store.shared", *(f"dbaudit.{name}" for name in ("cli", "audit", "query", "release", "report", "store.check"))])


# -- the command, as a process that can be killed


def run(*arguments: str | Path, env: dict[str, str] | None = None, under: Sequence[str] = ()) -> subprocess.CompletedProcess[str]:
    """The installed command, from its beginning to its end; `under` another program if need be."""
    command = [*under, sys.executable, "-m", "dbaudit", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, env={**os.environ, **(env or {})}, timeout=120, check=False)


def _die_after(commits: int) -> None:
    """Let this process kill itself as soon as that many transactions are committed."""
    transaction, number = Engine.transaction, itertools.count(1)

    @contextmanager
    def counted(engine: Engine) -> Iterator[None]:
        with transaction(engine):
            yield
        if next(number) == commits:
            os.kill(os.getpid(), signal.SIGKILL)

    Engine.transaction = counted  # type: ignore[assignment, method-assign]


def _main(arguments: Sequence[str], log: Path, commits: int) -> None:
    descriptor = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    os.dup2(descriptor, 1)
    os.dup2(descriptor, 2)
    signal.signal(signal.SIGINT, signal.default_int_handler)  # whoever runs the tests in the background has it ignored
    if commits:
        _die_after(commits)
    sys.argv = ["dbaudit", *arguments]
    from dbaudit.cli import main

    main()


class Command:
    """The command as a process of its own that has imported everything already: all of its time goes into what it does to the store."""

    def __init__(self, arguments: Sequence[str | Path], log: Path, *, dies_after_commits: int = 0) -> None:
        self.log, self.begun = log, time.monotonic()
        self.process: ForkServerProcess = _processes.Process(target=_main, args=([str(argument) for argument in arguments], log, dies_after_commits))
        self.process.start()

    def end(self) -> int:
        """Its exit code once it ended by itself; negative where a signal ended it."""
        self.process.join(120)
        code = self.process.exitcode
        assert code is not None, "it hangs"
        return code

    def kill(self) -> bool:
        """Kill it with SIGKILL; False where it was faster."""
        self.process.kill()
        return self.end() < 0

    def interrupt(self) -> None:
        """Press Ctrl-C."""
        assert self.process.pid is not None
        os.kill(self.process.pid, signal.SIGINT)

    @property
    def said(self) -> str:
        return self.log.read_text(encoding="utf-8")


# -- what a store holds


def contents(files: Files) -> dict[str, object]:
    """Every table, view and sequence of both files, with a digest of the rows.

    Left out is what differs from run to run (times, and the names of loads), and a load of microdata that the audit file does not name.
    """
    found: dict[str, object] = {}
    with duckdb.connect(":memory:") as connection:
        for name, path in (("audit", files.audit), ("original", files.original)):
            connection.execute(f"attach '{path}' as {name} (read_only)")
        columns: dict[str, list[str]] = {}
        query = "select database_name, schema_name, table_name, column_name, data_type from duckdb_columns() where data_type <> 'TIMESTAMP'"
        for catalog, schema, table, column, kind in connection.execute(query).fetchall():
            if column != "load_id":
                columns.setdefault(f"{catalog}.{schema}.{table}", []).append(f"{column}::varchar" if kind == "VARIANT" else column)
        for catalog, schema, table, text in connection.execute("select database_name, schema_name, table_name, sql from duckdb_tables()").fetchall():
            name = f"{catalog}.{schema}.{table}"
            told = ", ".join(columns[name])
            named = "where load_id in (select load_id from audit.published.dataset)" if table == "microdata" else ""
            rows = connection.execute(f"select count(*), sum(hash({told})::hugeint) from {name} {named}").fetchone()
            found[name] = (text, rows)
        for kind, query in {
            "views": "select database_name, schema_name, view_name, sql, comment from duckdb_views() where not internal order by all",
            "sequences": "select database_name, schema_name, sequence_name, last_value from duckdb_sequences() order by all",
        }.items():
            found[kind] = connection.execute(query).fetchall()
    return found


def loads(files: Files) -> int:
    """How many loads of microdata the file of the truth holds, whether they count or not."""
    with duckdb.connect(str(files.original), read_only=True) as connection:
        (count,) = connection.execute("select count(distinct load_id) from main.microdata").fetchone() or (0,)
    return int(count)


def listing(folder: Path) -> set[str]:
    """The names of all that lies in a folder."""
    return {path.name for path in folder.iterdir()}


def copied(files: Files, folder: Path) -> Files:
    """A copy of both files in a folder."""
    folder.mkdir(exist_ok=True)
    return Files(Path(shutil.copy2(files.audit, folder)), Path(shutil.copy2(files.original, folder)))


# -- people


def write_people(path: Path, count: int) -> Path:
    """A bucketized release of that many persons, eight in a bucket."""
    rng = random.Random(1)
    with path.open("w", encoding="utf-8") as file:
        file.write("pid,age,zip,disease,bucket\n")
        file.writelines(f"p{i},{20 + i % 60},{10000 + i % 997},d{rng.randrange(40)},{i // 8}\n" for i in range(count))
    return path


DECLARE = ("--qi", "age,zip", "--sensitive", "disease", "--id", "pid")
"""What the columns of `write_people` are for."""


# -- a store that an older version made


def older_files(folder: str) -> list[SqlFile]:
    """What dbaudit shipped before it had audits: no `result`, and only the views that do without, and without columns that came later."""
    old, later = _files("schema/audit")[:3], _files("schema/audit")[3:]
    if folder == "schema/audit":
        return old
    changed = {table for file in later for table in re.findall(r"alter table (\S+)", file.text)}
    if folder not in ("model", "report"):
        return [] if folder == "original" else _files(folder)
    views = catalogue.in_order([*_files("model"), *_files("report")])
    kept: list[SqlFile] = []
    for view in views:
        names = {f"{file.folder}.{file.name}" for file in kept}
        if not changed & view.reads and all(read in names or read.startswith(("published.", "adversary.")) for read in view.reads):
            kept.append(view)
    return [view for view in kept if view.folder == folder]


_files = catalogue.files


# Not by add_dataset, which writes columns that came later: the first forty of `write_people` as a population.
OLD_ROWS = """
    insert into published.dataset values (nextval('published.dataset_key'), 'people', 'person', null, 'population', repeat('0', 64), null, now()::timestamp);
    insert into published.dataset_column values (1, 1, 'pid', 'id'), (1, 1, 'age', 'qi'), (1, 2, 'zip', 'qi'), (1, 1, 'disease', 'sensitive');
    insert into published.person select i + 1, 1, null, 'p' || i from range(40) as t (i);
    insert into published.qi
    select i + 1, 1, format('{{"age":"{}","zip":"{}"}}', 20 + i, 10000 + i), {'age': 20 + i, 'zip': 10000 + i}::variant from range(40) as t (i);
    insert into published.population select 1, i + 1, i + 1 from range(40) as t (i);
"""


def make_old_store(path: Path) -> Store:
    """A store as that version left it, with a population in it; `report.forgotten` is a view that this version does not have."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(catalogue, "files", older_files)
        store = Store.create(path)
        with store.writing() as session:
            session.engine.run("what that version wrote", OLD_ROWS)
            session.engine.run("a view of that version", "create view report.forgotten as select dataset from published.dataset")
    return store
