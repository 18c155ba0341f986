"""What is no store, or not this one, is refused in a sentence and left byte for byte as it was."""

from __future__ import annotations

import hashlib
import os
import random
import shutil
import sqlite3
import stat
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path

import duckdb
import pytest

from dbaudit import DatasetSpec, Store, StoreError, UsageError, add_dataset, list_audits, list_datasets, run_query
from dbaudit.store.files import Files
from tests.store.shared import Command, listing, run, write_people


def bytes_of(folder: Path) -> dict[str, str]:
    """Every file below a folder with a digest of its bytes."""
    return {str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else "" for path in folder.rglob("*")}


def change(path: Path, *statements: str) -> None:
    """Do something to a file behind dbaudit's back."""
    with duckdb.connect(str(path)) as connection:
        for statement in statements:
            connection.execute(statement)


# -- what is not a store


def a_text(path: Path) -> None:
    path.write_text("This is not a database.\n" * 1000)


def nothing_in_it(path: Path) -> None:
    path.touch()


def a_folder(path: Path) -> None:
    path.mkdir()


def a_pipe(path: Path) -> None:
    os.mkfifo(path)


def a_database_of_somebody_else(path: Path) -> None:
    change(path, "create table orders as select 1 as i", "create schema result", "create table result.audit as select 2 as i")


def a_database_with_tables_of_the_same_names(path: Path) -> None:
    change(path, "create table store as select 1 as i", "create table migration as select 1 as i", "create table loaded_view as select 1 as i")


def an_empty_database(path: Path) -> None:
    change(path)


def an_sqlite_file(path: Path) -> None:
    with sqlite3.connect(path) as connection:
        connection.execute("create table t (i)")
    connection.close()


def twelve_bytes(path: Path) -> None:
    path.write_bytes(b"\0" * 8 + b"DUCK")


NO_STORES = [a_text, nothing_in_it, a_folder, a_pipe, a_database_of_somebody_else, a_database_with_tables_of_the_same_names, an_empty_database, an_sqlite_file]


@pytest.mark.parametrize("make", [*NO_STORES, twelve_bytes])
def test_what_is_no_store_is_refused_and_not_touched(make: Callable[[Path], None], tmp_path: Path) -> None:
    path = tmp_path / "audit.duckdb"
    make(path)
    before = bytes_of(tmp_path) if make is not a_pipe else {}
    with pytest.raises(StoreError, match=r"audit\.duckdb"):
        list_datasets(Store(path))
    with pytest.raises(StoreError, match=r"audit\.duckdb"):
        add_dataset(Store(path), DatasetSpec("people", ("age",), ("disease",)))
    assert listing(tmp_path) == {"audit.duckdb"}
    if make is not a_pipe:
        assert bytes_of(tmp_path) == before


@pytest.mark.parametrize("make", NO_STORES)
def test_init_does_not_replace_what_is_there(make: Callable[[Path], None], tmp_path: Path) -> None:
    for name in ("audit.duckdb", "other.original.duckdb"):
        make(tmp_path / name)
    before = listing(tmp_path)
    for name in ("audit.duckdb", "other.duckdb"):
        with pytest.raises(UsageError, match="exists already and was left as it is"):
            Store.create(tmp_path / name)
    assert listing(tmp_path) == before


@pytest.mark.parametrize("make", [a_text, an_empty_database, a_folder])
def test_the_command_says_in_one_line_that_it_is_no_store_and_ends_with_6(make: Callable[[Path], None], tmp_path: Path) -> None:
    (tmp_path / "store").mkdir()
    make(tmp_path / "store" / "audit.duckdb")
    before = bytes_of(tmp_path / "store")
    command = Command(("dataset", "list", "--db", tmp_path / "store" / "audit.duckdb"), tmp_path / "log")
    assert command.end() == 6
    assert command.said.startswith("dbaudit: ") and command.said.count("\n") == 1
    assert bytes_of(tmp_path / "store") == before


def test_a_missing_store_is_named_with_the_command_that_makes_one(tmp_path: Path) -> None:
    ended = run("dataset", "list", "--db", tmp_path / "audit.duckdb")
    assert (ended.returncode, ended.stdout) == (6, "")
    assert ended.stderr == f"dbaudit: there is no store at {tmp_path / 'audit.duckdb'}. Make one with: dbaudit init --db {tmp_path / 'audit.duckdb'}\n"
    assert listing(tmp_path) == set()


# -- a store of another version


def test_a_store_of_a_newer_version_is_refused_and_not_touched(hospital_copy: Files) -> None:
    change(hospital_copy.audit, "insert into main.migration values (9999, '9999_future', 'x', now()::timestamp)")
    before = bytes_of(hospital_copy.audit.parent)
    for call in (list_datasets, list_audits):
        with pytest.raises(StoreError, match=r"audit\.duckdb was made by a newer version of dbaudit \(change 9999"):
            call(Store(hospital_copy.audit))
    assert bytes_of(hospital_copy.audit.parent) == before


def test_a_file_of_the_truth_of_a_newer_version_is_refused_and_not_touched(hospital_copy: Files) -> None:
    change(hospital_copy.original, "insert into main.migration values (9999, '9999_future', 'x', now()::timestamp)")
    change(hospital_copy.audit, "delete from main.loaded_view")  # the audit file must not be brought up to date first
    before = bytes_of(hospital_copy.audit.parent)
    with pytest.raises(StoreError, match=r"audit\.original\.duckdb was made by a newer version"):
        run_query(Store(hospital_copy.audit), "select * from original.guess", original=True)
    assert bytes_of(hospital_copy.audit.parent) == before


def test_a_store_of_another_line_is_refused_and_not_touched(hospital_copy: Files) -> None:
    change(hospital_copy.audit, "update main.migration set digest = 'another' where number = 2")
    before = bytes_of(hospital_copy.audit.parent)
    with pytest.raises(StoreError, match=r"another line of dbaudit: its change 2 is not 0002_published\.sql"):
        list_datasets(Store(hospital_copy.audit))
    assert bytes_of(hospital_copy.audit.parent) == before


# -- damage

USES = [("sql", "select sum(max_probability) from report.disclosure"), ("audits", "list"), ("audit", "patients")]


@pytest.mark.parametrize(("share", "arguments"), [(0.001, USES[0]), (0.05, USES[2]), (0.5, USES[0]), (0.5, USES[1]), (0.95, USES[2])])
def test_a_truncated_store_is_recognised_as_damaged(share: float, arguments: tuple[str, ...], hospital_copy: Files, tmp_path: Path) -> None:
    os.truncate(hospital_copy.audit, int(hospital_copy.audit.stat().st_size * share))
    command = Command((*arguments, "--db", hospital_copy.audit), tmp_path / "log")
    code = command.end()
    assert code == 6 or (code == 0 and share > 0.05), command.said
    assert code == 0 or (command.said.startswith("dbaudit: ") and "damaged" in command.said and command.said.count("\n") == 1), command.said


def test_damaged_bytes_are_found_by_their_checksum_and_never_end_in_a_traceback(hospital: Files, tmp_path: Path) -> None:
    rng, size = random.Random(5), hospital.audit.stat().st_size
    codes = []
    for number in range(8):
        (tmp_path / str(number)).mkdir()
        files = Files(Path(shutil.copy(hospital.audit, tmp_path / str(number))), Path(shutil.copy(hospital.original, tmp_path / str(number))))
        places = sorted(rng.randrange(size) for _ in range(rng.choice([1, 8, 64])))
        with files.audit.open("r+b") as file:
            for place in places:
                file.seek(place)
                file.write(rng.randbytes(min(64, size - place)))
        command = Command((*rng.choice(USES), "--db", files.audit), tmp_path / "log")
        codes.append(command.end())
        assert codes[-1] in (0, 6), (places, command.said)
        assert codes[-1] == 0 or "damaged" in command.said or "no DuckDB file" in command.said, (places, command.said)
        assert codes[-1] == 0 or (command.said.startswith("dbaudit: ") and command.said.count("\n") == 1), command.said
    assert 6 in codes, "no damage was ever noticed"


# -- the file of the truth


def test_a_missing_file_of_the_truth_stops_only_what_needs_it(hospital_copy: Files, tmp_path: Path) -> None:
    hospital_copy.original.unlink()
    store = Store(hospital_copy.audit)
    assert len(list_audits(store)) == 1
    with pytest.raises(StoreError, match=r"the file of the truth is missing: .*audit\.original\.duckdb\. Put it back, or name it with DBAUDIT_ORIGINAL"):
        run_query(store, "select * from original.guess", original=True)
    with pytest.raises(StoreError, match="the file of the truth is missing"):
        add_dataset(store, DatasetSpec("people", ("age", "zip"), ("disease",), id="pid", microdata=write_people(tmp_path / "people.csv", 8)))
    assert listing(hospital_copy.audit.parent) == {"audit.duckdb"}


def test_a_file_of_the_truth_that_belongs_to_another_store_is_refused_and_not_touched(hospital_copy: Files, tmp_path: Path) -> None:
    other = Store.create(tmp_path / "other.duckdb")
    os.replace(other.files.original, hospital_copy.original)
    before = bytes_of(hospital_copy.audit.parent)
    with pytest.raises(StoreError, match=r"does not belong to .*: they carry different store ids"):
        run_query(Store(hospital_copy.audit), "select * from original.guess", original=True)
    assert bytes_of(hospital_copy.audit.parent) == before


def test_the_audit_file_is_not_taken_for_the_truth(hospital_copy: Files, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DBAUDIT_ORIGINAL", str(hospital_copy.audit))
    with pytest.raises(StoreError):
        run_query(Store(hospital_copy.audit), "select * from original.guess", original=True)


def test_the_truth_may_lie_elsewhere_even_on_another_disk(tmp_path: Path) -> None:
    # /dev/shm is another disk than /tmp on most machines; where there is none, another folder has to do.
    with tempfile.TemporaryDirectory(dir="/dev/shm" if os.access("/dev/shm", os.W_OK) else None) as elsewhere:
        env = {"DBAUDIT_ORIGINAL": f"{elsewhere}/truth.duckdb", "DBAUDIT_DB": str(tmp_path / "audit.duckdb")}
        ended = run("init", env=env)
        assert ended.returncode == 0, ended.stderr
        assert (listing(tmp_path), listing(Path(elsewhere))) == ({"audit.duckdb"}, {"truth.duckdb"})
        table = write_people(tmp_path / "people.csv", 8)
        ended = run("dataset", "add", "people", "--qi", "age,zip", "--sensitive", "disease", "--id", "pid", "--microdata", table, env=env)
        assert ended.returncode == 0, ended.stderr
        with duckdb.connect(f"{elsewhere}/truth.duckdb", read_only=True) as connection:
            assert connection.execute("select count(*) from main.microdata").fetchone() == (8,)
        with pytest.raises(StoreError, match="the file of the truth is missing"):
            run_query(Store(tmp_path / "audit.duckdb"), "select * from original.guess", original=True)


# -- init


@pytest.mark.parametrize("name", ["result.duckdb", "Report.duckdb", "main.db", "published", "temp.duckdb", "original.duckdb"])
def test_a_store_cannot_be_called_after_a_schema(name: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="is the name of a schema"):
        Store.create(tmp_path / name)
    assert listing(tmp_path) == set()


def test_init_over_a_store_changes_nothing(hospital_copy: Files, tmp_path: Path) -> None:
    before = bytes_of(hospital_copy.audit.parent)
    command = Command(("init", "--db", hospital_copy.audit), tmp_path / "log")
    assert command.end() == 2
    assert command.said == f"dbaudit: {hospital_copy.audit} exists already and was left as it is. Choose another place with --db.\n"
    assert bytes_of(hospital_copy.audit.parent) == before


@pytest.mark.parametrize("statements", [(), ("insert into main.microdata values ('a load', 1, 'Flu')",)])
def test_init_does_not_take_over_a_file_of_the_truth_whose_audit_file_is_elsewhere(statements: tuple[str, ...], tmp_path: Path) -> None:
    """Even an empty one: its audit file may have been moved, and two stores would then share their truth."""
    files = Store.create(tmp_path / "audit.duckdb").files
    change(files.original, *statements)
    files.audit.unlink()
    before = bytes_of(tmp_path)
    with pytest.raises(UsageError, match=r"audit\.original\.duckdb exists already and was left as it is"):
        Store.create(files.audit)
    assert bytes_of(tmp_path) == before


def test_init_keeps_refusing_a_file_that_holds_truth_even_if_a_killed_init_left_its_traces(tmp_path: Path) -> None:
    files = Store.create(tmp_path / "audit.duckdb").files
    change(files.original, "insert into main.microdata values ('a load', 1, 'Flu')")
    with duckdb.connect(str(files.original), read_only=True) as connection:
        (store_id,) = connection.execute("select store_id from main.store").fetchone() or ("",)
    files.audit.unlink()
    (tmp_path / f".audit.duckdb.{store_id}.abc.new").mkdir()
    before = bytes_of(tmp_path)
    with pytest.raises(UsageError, match="exists already and was left as it is"):
        Store.create(files.audit)
    assert bytes_of(tmp_path) == before


def test_of_two_inits_at_the_same_time_one_makes_the_store_and_the_other_is_refused(tmp_path: Path) -> None:
    (tmp_path / "store").mkdir()
    db = tmp_path / "store" / "audit.duckdb"
    both = [Command(("init", "--db", db), tmp_path / f"log{number}") for number in range(2)]
    assert sorted(command.end() for command in both)[0] == 0
    assert sorted(command.end() for command in both)[1] in (2, 6), [command.said for command in both]
    assert listing(tmp_path / "store") == {"audit.duckdb", "audit.original.duckdb"}
    with Store(db).reading(truth=True):
        pass


def test_a_store_can_be_made_on_a_disk_without_links(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(os, "link", refuse)
    with Store.create(tmp_path / "audit.duckdb").reading(truth=True):
        pass
    assert listing(tmp_path) == {"audit.duckdb", "audit.original.duckdb"}


def test_a_store_needs_a_folder_that_exists(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="there is no folder"):
        Store.create(tmp_path / "nowhere" / "audit.duckdb")


def test_a_store_may_have_any_other_name(tmp_path: Path) -> None:
    for name in ("it's a [store] {1} $x", "größe.duckdb"):
        store = Store.create(tmp_path / name)
        with store.writing(truth=True):
            pass
        assert list_datasets(store) == []


# -- permissions


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_only_the_owner_may_read_the_files_that_the_command_makes(tmp_path: Path) -> None:
    folder = tmp_path / "store"
    folder.mkdir()
    os.umask(os.umask(0o022))
    db = folder / "audit.duckdb"
    assert Command(("init", "--db", db), tmp_path / "log").end() == 0
    table = write_people(tmp_path / "people.csv", 20_000)
    command = Command(("dataset", "add", "p", "--qi", "age,zip", "--sensitive", "disease", "--id", "pid", "--microdata", table, "--db", db), tmp_path / "log")
    modes: dict[str, int] = {}
    while command.process.is_alive():
        for path in folder.iterdir():
            try:
                modes[path.name] = mode(path)
            except FileNotFoundError:
                continue
    assert command.end() == 0, command.said
    assert {"audit.duckdb", "audit.original.duckdb"} < modes.keys(), "no log was ever seen"
    assert set(modes.values()) == {0o600}


def run_as_anybody(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    """The command without root's privilege to open everything, by which no permission would be noticed."""
    if os.getuid() != 0:
        return run(*arguments)
    if shutil.which("setpriv") is None:
        pytest.skip("root may open everything, and there is no setpriv to change that")
    return run(*arguments, under=["setpriv", "--bounding-set=-dac_override,-dac_read_search", "--inh-caps=-all"])


def test_an_unreadable_store_is_refused_with_the_reason(hospital_copy: Files) -> None:
    hospital_copy.audit.chmod(0o000)
    ended = run_as_anybody("dataset", "list", "--db", hospital_copy.audit)
    assert ended.returncode == 6, ended.stderr
    assert ended.stderr == f"dbaudit: {hospital_copy.audit} may not be opened: permission denied. Ask its owner, or choose another store with --db.\n"


def test_a_store_in_a_folder_that_is_read_only_can_be_read_but_not_written(hospital_copy: Files) -> None:
    folder = hospital_copy.audit.parent
    folder.chmod(0o500)
    before = bytes_of(folder)
    reader = run_as_anybody("audits", "list", "--db", hospital_copy.audit)
    assert reader.returncode == 0, reader.stderr
    # The file itself may be written: what cannot be made is its log.
    writer = run_as_anybody("audit", "patients", "--db", hospital_copy.audit)
    assert writer.returncode == 6, writer.stderr
    assert "Permission denied" in writer.stderr and writer.stderr.count("\n") == 1
    maker = run_as_anybody("init", "--db", folder / "new.duckdb")
    assert (maker.returncode, maker.stderr) == (6, f"dbaudit: no store can be made at {folder / 'new.duckdb'}: permission denied.\n")
    assert bytes_of(folder) == before
    folder.chmod(0o700)


def test_a_store_that_may_only_be_read_is_read(hospital_copy: Files) -> None:
    hospital_copy.audit.chmod(0o400)
    before = bytes_of(hospital_copy.audit.parent)
    writer = run_as_anybody("audit", "patients", "--db", hospital_copy.audit)
    assert writer.returncode == 6, writer.stderr
    assert "permission denied" in writer.stderr
    assert bytes_of(hospital_copy.audit.parent) == before
