"""One process writes or many read; whoever comes second is told who is first, and may wait."""

from __future__ import annotations

import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import duckdb
import pytest

from dbaudit import AuditSpec, Store, StoreLocked, list_audits, run_audit, run_query
from dbaudit.store.files import Files
from tests.store.shared import Command, contents

HOLD = "import duckdb, sys; c = duckdb.connect(sys.argv[1], read_only=sys.argv[2] == 'reading'); print('held', flush=True); sys.stdin.readline()"


@contextmanager
def held(path: Path, how: str) -> Iterator[subprocess.Popen[str]]:
    """Another program that has the file open; a line on its stdin ends it."""
    with subprocess.Popen([sys.executable, "-c", HOLD, str(path), how], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "held\n"
        try:
            yield process
        finally:
            process.kill()


def command(files: Files, *arguments: str) -> Command:
    folder = files.audit.parent
    return Command((*arguments, "--db", files.audit), folder.with_name(f"log-{time.monotonic_ns()}"))


READ = ("sql", "select count(*) from result.audit")
WRITE = ("audit", "patients")
READ_TRUTH = ("sql", "--original", "select count(*) from original.guess")


@pytest.mark.parametrize(
    ("file", "how", "arguments"),
    [("audit", "writing", READ), ("audit", "writing", WRITE), ("audit", "reading", WRITE), ("original", "writing", READ_TRUTH)],
)
def test_a_command_that_cannot_have_the_store_says_who_has_it_and_ends_with_6(file: str, how: str, arguments: tuple[str, ...], hospital_copy: Files) -> None:
    path = getattr(hospital_copy, file)
    before = path.read_bytes()
    with held(path, how) as holder:
        refused = command(hospital_copy, *arguments)
        assert refused.end() == 6
        program = Path(sys.executable).resolve().name
        assert refused.said == f"dbaudit: {path} is in use by process {holder.pid} ({program}). Wait for it to end, or give --wait SECONDS.\n"
    assert path.read_bytes() == before


@pytest.mark.parametrize("arguments", [READ, ("audits", "list"), ("report", "1")])
def test_readers_do_not_disturb_each_other(arguments: tuple[str, ...], hospital_copy: Files) -> None:
    with held(hospital_copy.audit, "reading"):
        reader = command(hospital_copy, *arguments)
        assert reader.end() == 0, reader.said


def test_whoever_does_not_touch_the_truth_is_not_stopped_by_who_has_it_open(hospital_copy: Files) -> None:
    with held(hospital_copy.original, "writing"):
        writer = command(hospital_copy, *WRITE)
        assert writer.end() == 0, writer.said


@pytest.mark.parametrize("arguments", [READ, WRITE])
def test_a_command_that_waits_goes_on_once_the_store_is_let_go(arguments: tuple[str, ...], hospital_copy: Files) -> None:
    with held(hospital_copy.audit, "writing") as holder:
        waiting = command(hospital_copy, *arguments, "--wait", "60")
        time.sleep(0.7)
        assert waiting.process.is_alive()
        holder.communicate("done\n")
        assert waiting.end() == 0, waiting.said


def test_a_command_that_waited_in_vain_ends_with_6(hospital_copy: Files) -> None:
    with held(hospital_copy.audit, "writing"):
        waiting = command(hospital_copy, *READ, "--wait", "0.3")
        assert waiting.end() == 6
        assert "is in use by process" in waiting.said


def test_waiting_lasts_as_long_as_it_was_told_to(hospital_copy: Files) -> None:
    with held(hospital_copy.audit, "reading"):
        begun = time.monotonic()
        with pytest.raises(StoreLocked), Store(hospital_copy.audit, wait=0.5).writing():
            pass
        assert 0.5 <= time.monotonic() - begun < 5.0


def test_two_audits_at_the_same_time_both_succeed_if_they_may_wait(hospital_copy: Files) -> None:
    both = [command(hospital_copy, *WRITE, "--wait", "60") for _ in range(2)]
    assert [(audit.end(), audit.said) for audit in both if audit.end() != 0] == []
    audits = list_audits(Store(hospital_copy.audit))
    assert [audit["audit_id"] for audit in audits] == [1, 2, 3]
    assert [audit["status"] for audit in audits] == ["solved"] * 3


def test_a_session_within_a_session_is_refused_and_does_not_cost_the_first_its_lock(hospital_copy: Files) -> None:
    store = Store(hospital_copy.audit)
    with store.writing() as session:
        session.engine.run("a change", "delete from result.bound")
        with pytest.raises(StoreLocked, match="this very process"), store.reading():
            pass
        other = command(hospital_copy, *READ)
        assert other.end() == 6, "the lock is gone: " + other.said


def test_threads_of_one_process_wait_for_each_other(hospital_copy: Files) -> None:
    store = Store(hospital_copy.audit, wait=60)
    failed: list[BaseException] = []

    def work() -> None:
        try:
            run_audit(store, AuditSpec("patients"))
        except BaseException as error:
            failed.append(error)

    threads = [threading.Thread(target=work) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failed == []
    assert len(list_audits(store)) == 4


def test_the_files_are_let_go_between_two_calls_of_one_process(hospital_copy: Files) -> None:
    store = Store(hospital_copy.audit)
    for call in (
        lambda: list_audits(store),
        lambda: run_query(store, "select * from original.guess", original=True),
        lambda: run_audit(store, AuditSpec("patients")),
    ):
        call()
        for path in (hospital_copy.audit, hospital_copy.original):
            with held(path, "writing"):
                pass


def test_the_files_are_let_go_after_a_call_that_failed(hospital_copy: Files) -> None:
    store, before = Store(hospital_copy.audit), contents(hospital_copy)

    def fail() -> None:
        with store.writing(truth=True) as session:
            session.engine.run("harm", "delete from result.audit")
            raise RuntimeError

    with pytest.raises(RuntimeError):
        fail()
    assert contents(hospital_copy) == before
    for path in (hospital_copy.audit, hospital_copy.original):
        duckdb.connect(str(path)).close()
