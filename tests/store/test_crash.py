"""Whatever is killed, and whenever: the store opens, what was interrupted is there whole or not at all, and the same command then succeeds."""

from __future__ import annotations

import itertools
import os
import random
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from dbaudit import AuditSpec, DatasetSpec, InputRejected, ReleaseSpec, Store, add_dataset, add_release, check_store, run_audit, run_query
from dbaudit.store.files import Files
from tests.store.shared import DECLARE, Command, contents, copied, listing, loads, make_old_store, write_people

PEOPLE = 4_000  # enough that most of an operation's time goes into what it reads, works out and writes
HITS = 8  # how often each operation must be killed before it ended by itself; init and migrations half as often

# Orphans of the file of the truth are what a kill between the two files leaves; they do not count, and the next load sweeps them.
LEFT_BY_A_KILL = {"microdata_load_unknown"}


@dataclass(frozen=True)
class Interrupted:
    """An operation that can be killed: the store before it, the store after it, how long it takes undisturbed, and how much of that is writing."""

    name: str
    folder: Path
    arguments: tuple[str, ...]
    before: dict[str, object]
    whole: dict[str, object]
    seconds: float
    writing: float  # seconds from when something is written to a log to the end

    def fresh(self, folder: Path) -> Files:
        """A copy of the store before the operation."""
        folder.mkdir()
        for path in (self.folder / "before").iterdir():
            shutil.copy2(path, folder)
        return Files.at(folder / "audit.duckdb")

    def start(self, files: Files, commits: int = 0) -> Command:
        return Command((*self.arguments, "--db", files.audit), files.audit.parent.with_suffix(".log"), dies_after_commits=commits)


class Kitchen:
    """Makes, once, the stores in which operations are interrupted."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.made: dict[str, Interrupted] = {}

    def operation(self, name: str) -> Interrupted:
        if name not in self.made:
            self.made[name] = self._make(name)
        return self.made[name]

    def _make(self, name: str) -> Interrupted:
        folder = self.folder / name.replace(" ", "-")
        folder.mkdir()
        table = self.folder / "people.csv"
        if name == "audit":
            shutil.copytree(self.operation("release add").folder / "whole", folder / "before")
            arguments: tuple[str, ...] = ("audit", "people")
        elif name == "knowledge mine":
            (folder / "before").mkdir()
            truth = DatasetSpec("people", ("age", "zip"), ("disease",), id="pid", microdata=write_people(table, PEOPLE))
            add_dataset(Store.create(folder / "before" / "audit.duckdb"), truth)
            arguments = ("knowledge", "mine", "people", "--positive", "20", "--negative", "20")
        else:
            (folder / "before").mkdir()
            add_dataset(Store.create(folder / "before" / "audit.duckdb"), DatasetSpec("people", ("age", "zip"), ("disease",), id="pid"))
            write_people(table, PEOPLE)
            arguments = {
                "dataset add": ("dataset", "add", "more", *DECLARE, "--microdata", str(table)),
                "release add": ("release", "add", "people", str(table), "--name", "r1", "--form", "bucketized", "--bucket", "bucket"),
            }[name]
        undone = Interrupted(name, folder, arguments, contents(Files.at(folder / "before" / "audit.duckdb")), {}, 0.0, 0.0)
        files = undone.fresh(folder / "whole")
        command = undone.start(files)
        wait_for(command, files, 0.0, after_writing=True)
        written = time.monotonic()
        assert command.end() == 0, command.said
        ended = time.monotonic()
        assert check_store(Store(files.audit)).found == []
        return replace(undone, whole=contents(files), seconds=ended - command.begun, writing=ended - written)


@pytest.fixture(scope="session")
def kitchen(tmp_path_factory: pytest.TempPathFactory) -> Kitchen:
    warm = Command(("--version",), tmp_path_factory.mktemp("warm") / "log")  # the first process of its kind takes longer, and would be measured
    assert warm.end() == 0
    return Kitchen(tmp_path_factory.mktemp("kitchen"))


def moments(seed: int, hits: int, seconds: float, writing: float) -> Iterator[tuple[float, bool]]:
    """When to kill, in random order: half of the moments spread over the whole duration, half over what follows the first word in a log.

    Then the same again in half of the time, and so on, in case that some came too late; the last of them means that the kills do not hit.
    """
    rng = random.Random(seed)
    for speed in (1, 2, 4, 8):
        for i in rng.sample(range(hits), hits):
            share, after_writing = (i // 2 + rng.random()) / ((hits + 1) // 2), bool(i % 2 and writing)
            yield share * (writing if after_writing else seconds) / speed, after_writing


def wait_for(command: Command, files: Files, delay: float, after_writing: bool) -> None:
    logs = [path.with_name(path.name + ".wal") for path in (files.audit, files.original)]
    while after_writing and command.process.is_alive() and not any(log.exists() for log in logs):
        time.sleep(0.001)
    time.sleep(delay if after_writing else max(0.0, command.begun + delay - time.monotonic()))


def kill_and_look(operation: Interrupted, folder: Path, delay: float = 0.0, after_writing: bool = False, commits: int = 0) -> str:
    """Kill the operation once, at a moment or after so many commits, look at everything that it left behind, and repeat it. Returns what became of it."""
    files = operation.fresh(folder)
    command = operation.start(files, commits)
    if commits:
        was_killed = command.end() < 0
    else:
        wait_for(command, files, delay, after_writing)
        was_killed = command.kill()
    left = listing(folder)
    assert left <= {"audit.duckdb", "audit.original.duckdb", "audit.duckdb.wal", "audit.original.duckdb.wal", "audit.duckdb.tmp", "audit.original.duckdb.tmp"}

    store = Store(files.audit)
    assert run_query(store, "select count(*) from published.dataset").num_rows == 1
    found = contents(files)
    is_whole = found == operation.whole
    assert is_whole or found == operation.before, {name for name in found if found[name] not in (operation.before.get(name), operation.whole.get(name))}
    assert is_whole or was_killed
    assert [finding for finding in check_store(store).found if finding["check"] not in LEFT_BY_A_KILL] == []
    if operation.name == "dataset add":
        assert run_query(store, "select * from original.guess", original=True).num_rows == 0
    was_orphaned = loads(files) > is_whole

    again = operation.start(files)
    assert again.end() == (2 if is_whole and operation.name not in ("audit", "knowledge mine") else 0), again.said
    if not is_whole:
        assert contents(files) == operation.whole
    if operation.name == "dataset add":
        assert loads(files) == 1
    assert listing(folder) == {"audit.duckdb", "audit.original.duckdb"}
    shutil.rmtree(folder)
    return ("whole" if is_whole else "orphan" if was_orphaned else "absent") if was_killed else "finished"


def kill_until(hits: int, seconds: float, kill: Callable[[int, float, bool], str], writing: float = 0.0) -> Counter[str]:
    """Kill at one moment after the other until that many kills came before the end; how often each thing became of it."""
    became: Counter[str] = Counter()
    for number, (delay, after_writing) in enumerate(moments(1, hits, seconds, writing)):
        became[kill(number, delay, after_writing)] += 1
        if became.total() - became["finished"] == hits:
            break
    print(f"{seconds:.2f} s, writing {writing:.2f} s; {dict(became)}")
    assert became.total() - became["finished"] == hits, "the kills must hit"
    return became


@pytest.mark.parametrize("name", ["release add", "audit", "dataset add", "knowledge mine"])
def test_an_operation_that_is_killed_at_any_moment_is_there_whole_or_not_at_all(name: str, kitchen: Kitchen, tmp_path: Path) -> None:
    operation = kitchen.operation(name)
    became = kill_until(HITS, operation.seconds, lambda number, *moment: kill_and_look(operation, tmp_path / str(number), *moment), operation.writing)
    assert became["absent"] + became["orphan"] >= 2


# -- microdata: two files, of which only one transaction at a time can be written


@pytest.mark.parametrize(("commits", "became"), [(1, "orphan"), (2, "whole")])
def test_microdata_killed_between_the_two_files_do_not_count_and_after_both_they_do(commits: int, became: str, kitchen: Kitchen, tmp_path: Path) -> None:
    assert kill_and_look(kitchen.operation("dataset add"), tmp_path / "store", commits=commits) == became


def test_a_load_that_the_audit_file_does_not_name_does_not_count_and_the_next_load_sweeps_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    table = write_people(tmp_path / "people.csv", 80)
    store = Store.create(tmp_path / "audit.duckdb")
    spec = DatasetSpec("people", ("age", "zip"), ("disease",), id="pid")
    with monkeypatch.context() as patch:
        patch.setattr("dbaudit.dataset._write", lambda *_: (_ for _ in ()).throw(OSError("between the two files")))
        with pytest.raises(OSError, match="between the two files"):
            add_dataset(store, replace(spec, microdata=table))
    assert loads(store.files) == 1

    # Others take the places of those whom the lost load was about; nobody's truth may be told of them.
    add_dataset(store, spec)
    add_release(store, ReleaseSpec("people", "r1", "bucketized", table, bucket="bucket"))
    run_audit(store, AuditSpec("people"))
    assert run_query(store, "select * from original.guess", original=True).num_rows == 0
    assert {finding["check"] for finding in check_store(store).found} == LEFT_BY_A_KILL

    add_dataset(store, replace(spec, name="more", microdata=table))
    assert loads(store.files) == 1
    assert check_store(store).found == []


def test_a_refused_load_leaves_both_files_as_they_were(tmp_path: Path) -> None:
    table = write_people(tmp_path / "people.csv", 80)
    table.write_text(table.read_text() + "p1,20,10000,d1,0\n")
    store = Store.create(tmp_path / "audit.duckdb")
    before = contents(store.files)
    with pytest.raises(InputRejected):
        add_dataset(store, DatasetSpec("people", ("age", "zip"), ("disease",), id="pid", microdata=table))
    assert contents(store.files) == before
    assert loads(store.files) == 0


# -- init


def kill_init(folder: Path, delay: float) -> str:
    folder.mkdir()
    db = folder / "audit.duckdb"
    command = Command(("init", "--db", db), folder.with_suffix(".log"))
    wait_for(command, Files.at(db), delay, after_writing=False)
    was_killed = command.kill()
    is_whole = db.exists()
    if not is_whole:
        again = Command(("init", "--db", db), command.log)
        assert again.end() == 0, again.said
        assert listing(folder) == {"audit.duckdb", "audit.original.duckdb"}
    assert check_store(Store(db)).found == []
    with Store(db).writing(truth=True):
        pass
    return ("whole" if is_whole else "absent") if was_killed else "finished"


def test_init_that_is_killed_at_any_moment_leaves_a_store_or_nothing_that_prevents_one(kitchen: Kitchen, tmp_path: Path) -> None:
    whole = Command(("init", "--db", tmp_path / "whole.duckdb"), tmp_path / "log")
    assert whole.end() == 0
    seconds = time.monotonic() - whole.begun
    became = kill_until(HITS // 2, seconds, lambda number, delay, _: kill_init(tmp_path / str(number), delay))
    assert became["absent"] >= 2


KILLED_BEFORE_THE_AUDIT_FILE = """
import os, signal, sys, dbaudit.store as store
place = store.put_in_place
def place_or_die(new, path):
    if path.name == "audit.duckdb":
        os.kill(os.getpid(), signal.SIGKILL)
    place(new, path)
store.put_in_place = place_or_die
store.Store.create(sys.argv[1])
"""


def test_init_that_was_killed_between_the_two_files_is_finished_by_the_next_one(tmp_path: Path) -> None:
    db = tmp_path / "audit.duckdb"
    killed = subprocess.run([sys.executable, "-c", KILLED_BEFORE_THE_AUDIT_FILE, str(db)], check=False)
    assert killed.returncode == -signal.SIGKILL
    assert not db.exists()
    assert Files.at(db).original.exists()
    store = Store.create(db)
    assert listing(tmp_path) == {"audit.duckdb", "audit.original.duckdb"}
    with store.writing(truth=True):
        pass
    assert check_store(store).found == []


# -- migration


def kill_migration(before: Path, folder: Path, delay: float, old: dict[str, object], new: dict[str, object]) -> str:
    shutil.copytree(before, folder)
    files = Files.at(folder / "audit.duckdb")
    arguments = ("sql", "select * from original.guess", "--original", "--db", files.audit)
    command = Command(arguments, folder.with_suffix(".log"))
    wait_for(command, files, delay, after_writing=False)
    was_killed = command.kill()
    found = contents(files)
    of = {name: {key for key in found if key.startswith(f"{name}.")} for name in ("audit", "original")}
    # Each file is migrated in a transaction of its own: before, the audit file alone, or both.
    for keys in of.values():
        assert all(found[key] == old.get(key) for key in keys) or all(found[key] == new[key] for key in keys)
    again = Command(arguments, command.log)
    assert again.end() == 0, again.said
    assert contents(files) == new
    # Killed between commit and checkpoint it leaves logs, which count, which readers cannot fold in, and which the next writer does.
    with Store(files.audit).loading():
        pass
    assert contents(files) == new
    assert listing(folder) <= {"audit.duckdb", "audit.original.duckdb"}
    return ("whole" if found == new else "absent" if found == old else "one file") if was_killed else "finished"


def test_a_migration_that_is_killed_at_any_moment_leaves_each_file_as_it_was_or_up_to_date(kitchen: Kitchen, tmp_path: Path) -> None:
    (tmp_path / "before").mkdir()
    files = Files.at(tmp_path / "before" / "audit.duckdb")
    make_old_store(files.audit)
    shutil.copytree(tmp_path / "before", tmp_path / "after")
    command = Command(("sql", "select * from original.guess", "--original", "--db", tmp_path / "after" / "audit.duckdb"), tmp_path / "log")
    assert command.end() == 0, command.said
    seconds = time.monotonic() - command.begun
    old, new = contents(files), contents(Files.at(tmp_path / "after" / "audit.duckdb"))
    assert old != new
    became = kill_until(HITS // 2, seconds, lambda number, delay, _: kill_migration(tmp_path / "before", tmp_path / str(number), delay, old, new))
    assert became["absent"] >= 1


# -- what lies beside the files


def test_what_a_killed_process_spilled_is_removed_by_the_next_that_writes(hospital_copy: Files) -> None:
    for spilled in (hospital_copy.spill, hospital_copy.truth_spill):
        spilled.mkdir()
        (spilled / "duckdb_temp_1_0_storage_DEFAULT-0.tmp").write_bytes(b"somebody's secrets")
    with Store(hospital_copy.audit).writing():
        pass
    assert listing(hospital_copy.audit.parent) == {"audit.duckdb", "audit.original.duckdb"}


# -- Ctrl-C


@pytest.fixture
def can_be_interrupted() -> Iterator[None]:
    """Whoever runs the tests in the background has Ctrl-C ignored, and a test would wait for ever."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.parametrize("share", [0.3, 0.6])
def test_ctrl_c_during_an_audit_ends_it_with_130_and_a_sentence(share: float, kitchen: Kitchen, tmp_path: Path) -> None:
    operation = kitchen.operation("audit")
    for attempt in range(4):  # half as late each time, in case that the audit was faster
        files = operation.fresh(tmp_path / str(attempt))
        command = operation.start(files)
        wait_for(command, files, operation.seconds * share / 2**attempt, after_writing=False)
        with suppress(ProcessLookupError):
            command.interrupt()
        if command.end() == 130:
            break
    assert command.end() == 130
    assert command.said == "dbaudit: interrupted. What was not finished was not stored.\n"
    assert contents(files) in (operation.before, operation.whole)
    assert listing(files.audit.parent) == {"audit.duckdb", "audit.original.duckdb"}


ENDLESS = "select count(*) from range(2000000) as a, range(2000000) as b where a.range * b.range % 7 = 3"


def test_ctrl_c_ends_a_query_that_would_not_end_by_itself(hospital_copy: Files, tmp_path: Path) -> None:
    command = Command(("sql", ENDLESS, "--threads", "2", "--db", hospital_copy.audit), tmp_path / "log")
    time.sleep(1.0)
    command.interrupt()
    assert command.end() == 130
    assert command.said == "dbaudit: interrupted. What was not finished was not stored.\n"


@pytest.mark.usefixtures("can_be_interrupted")
def test_ctrl_c_at_any_stage_of_an_audit_leaves_the_store_as_it_was(hospital_copy: Files) -> None:
    before, stages = contents(hospital_copy), []
    run_audit(
        Store(copied(hospital_copy, hospital_copy.audit.parent / "copy").audit), AuditSpec("patients", bounds=True), lambda stage, _: stages.append(stage)
    )
    assert len(set(stages)) >= 4
    for number in sorted({stages.index(stage) for stage in stages}):
        seen = itertools.count()

        def interrupt(_stage: str, _share: float | None, number: int = number, seen: Iterator[int] = seen) -> None:
            if next(seen) == number:
                os.kill(os.getpid(), signal.SIGINT)

        with pytest.raises(KeyboardInterrupt):
            run_audit(Store(hospital_copy.audit), AuditSpec("patients", bounds=True), interrupt)
        assert contents(hospital_copy) == before, stages[number]


@pytest.mark.usefixtures("can_be_interrupted")
def test_ctrl_c_in_the_middle_of_a_statement_undoes_what_the_session_did(hospital_copy: Files) -> None:
    def harm_and_be_interrupted() -> None:
        with Store(hospital_copy.audit).writing() as session:
            session.engine.run("harm", "delete from result.posterior")
            threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT)).start()
            session.engine.rows("something long", ENDLESS)

    before = contents(hospital_copy)
    with pytest.raises(KeyboardInterrupt):
        harm_and_be_interrupted()
    assert contents(hospital_copy) == before
