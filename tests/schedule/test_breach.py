"""Telling a command: at least once for each set of findings, not again while they are the same, and again when they change."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from dbaudit import ReleaseSpec, ScheduleSpec, Store, add_release, add_schedule, check_store, remove_audit, remove_release, run_due
from dbaudit.errors import ExitCode
from dbaudit.schedule import breach
from dbaudit.schedule import round as rounds
from dbaudit.schedule.book import find_schedule
from tests.schedule.helpers import HOSPITAL, HOUR, MONDAY, WEEK, ask, documents
from tests.sql import stores


def hospital(tmp_path: Path, command: str, **options: float) -> Store:
    """Both releases are published: patients 7, 10 and 13 are found with certainty."""
    store = stores.copy("republication", tmp_path)
    spec = ScheduleSpec("weekly", "patients", "0 6 * * 1", max_probability=0.8, on_breach=command, **options)  # type: ignore[arg-type]
    add_schedule(store, spec, now=MONDAY - HOUR)
    return store


def breaches(store: Store) -> list[tuple]:
    return ask(store, "select status, attempt_count, exit_code from schedule.breach order by run_id")


def test_the_same_findings_are_told_once_and_others_again(tmp_path: Path) -> None:
    told = tmp_path / "told"
    store = hospital(tmp_path, f"tee -a {told}")
    run_due(store, now=MONDAY)
    run_due(store, now=MONDAY + WEEK)
    (document,) = documents(told)
    findings = {(row["person"], row["value"], row["measure"], row["threshold"]) for row in document["findings"]}
    assert findings == {("7", "Diabetes", 1.0, 0.8), ("10", "Lung Cancer", 1.0, 0.8), ("13", "Diabetes", 1.0, 0.8)}
    assert (document["verdict"], document["finding_count"], document["releases"], document["candidate"]) == ("breach", 3, ["r1", "r2"], None)
    remove_release(store, "patients", "r2")
    assert run_due(store, now=MONDAY + 2 * WEEK).runs[0]["verdict"] == "pass"
    assert len(documents(told)) == 1
    add_release(store, ReleaseSpec("patients", "r2", "bucketized", HOSPITAL / "r2.csv", bucket="bucket"))
    run_due(store, now=MONDAY + 3 * WEEK)
    first, second = documents(told)
    assert first["findings"] == second["findings"]
    assert (first["occurrence"], second["occurrence"]) == (1, 2)
    assert first["key"] != second["key"], "they were gone and came back: a receiver must not take them for a repeat"
    assert check_store(store).found == []


def test_a_command_that_fails_is_run_again_in_every_round_until_it_succeeds(tmp_path: Path) -> None:
    told, ready = tmp_path / "told", tmp_path / "ready"
    script = tmp_path / "tell.sh"
    script.write_text(f'#!/bin/sh\ncat >> {told}\nprintf "%s\\n" one two three four five "six $DBAUDIT_BREACH_KEY" >&2\ntest -e {ready}\n')
    script.chmod(0o700)
    store = hospital(tmp_path, str(script))
    done = run_due(store, now=MONDAY)
    assert (done.told[0]["status"], done.told[0]["exit_code"]) == ("failing", 1)
    assert done.words[-1].startswith("weekly: patients as published: the breach command ended with 1; it is run again in the next round: two")
    again = run_due(store, now=MONDAY + HOUR)
    assert (again.runs, again.told[0]["status"]) == ([], "failing"), "also where nothing is due"
    assert again.exit_code is ExitCode.BREACHED, "a breach that nobody knows of is not success"
    ready.touch()
    done = run_due(store, now=MONDAY + 2 * HOUR)
    assert (done.runs, done.told[0]["status"], done.exit_code) == ([], "told", ExitCode.PASSED)
    assert breaches(store) == [("told", 3, 0)]
    (key,) = {document["key"] for document in documents(told)}
    assert len(documents(told)) == 3
    assert done.told[0]["message"] == f"two\nthree\nfour\nfive\nsix {key}"
    assert run_due(store, now=MONDAY + 3 * HOUR).words == []


def test_a_round_that_dies_before_it_tells_and_one_that_dies_before_it_says_so_are_followed_by_one_that_tells(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    told = tmp_path / "told"
    store = hospital(tmp_path, f"tee -a {told}")

    def die(*_arguments, **_named):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(breach, "tell_all", die)
        with pytest.raises(KeyboardInterrupt):
            run_due(store, now=MONDAY)
    assert breaches(store) == [("pending", 0, None)]
    with monkeypatch.context() as patch:
        patch.setattr(Store, "writing", die)
        with pytest.raises(KeyboardInterrupt):
            run_due(store, now=MONDAY + HOUR)
    assert len(documents(told)) == 1
    run_due(store, now=MONDAY + HOUR)
    assert breaches(store) == [("told", 1, 0)]
    first, second = documents(told)
    assert first == second, "with the same key, by which a receiver drops the repeat"


def test_a_command_that_hangs_is_ended_with_all_that_it_started(tmp_path: Path) -> None:
    pid = tmp_path / "pid"
    store = hospital(tmp_path, f"sh -c 'sleep 600 & echo $! > {pid}; wait'", breach_timeout=0.5)
    begun = time.monotonic()
    done = run_due(store, now=MONDAY)
    assert time.monotonic() - begun < 60
    assert (done.told[0]["status"], done.told[0]["exit_code"]) == ("failing", None)
    assert "did not end within 0.5 seconds" in done.told[0]["message"]
    for _ in range(100):
        stat = Path(f"/proc/{int(pid.read_text())}/stat")
        if not stat.exists() or stat.read_text().rsplit(")", 1)[1].split()[0] == "Z":
            break
        time.sleep(0.05)
    else:
        pytest.fail("what the command started still runs")


def test_a_command_that_leaves_a_child_behind_keeps_nobody_waiting(tmp_path: Path) -> None:
    store = stores.copy("empty", tmp_path)
    begun = time.monotonic()
    told = breach.run_command(store, "sh -c 'sleep 5 &'", "{}", "key", 60.0)
    assert (told.exit_code, time.monotonic() - begun < 4) == (0, True)
    assert breach.run_command(store, "true", "x" * 1_000_000, "key", 60.0).exit_code == 0, "and one that does not read its stdin either"
    assert sorted(os.listdir(tmp_path)) == ["copy.duckdb", "copy.original.duckdb"]


@pytest.mark.slow
def test_a_command_that_is_gone_is_a_failure_with_a_sentence(tmp_path: Path) -> None:
    script = tmp_path / "tell.sh"
    script.write_text("#!/bin/sh\n")
    script.chmod(0o700)
    store = hospital(tmp_path, str(script))
    script.unlink()
    assert run_due(store, now=MONDAY).told[0]["message"] == "it could not be started: no such file or directory."
    (audit_id,) = {audit_id for (audit_id,) in ask(store, "select audit_id from report.schedule_run")}
    remove_audit(store, audit_id)
    done = run_due(store, now=MONDAY + HOUR)
    assert done.told[0]["status"] == "void"
    assert "was removed before it could be told" in done.words[0]


def test_a_command_sees_the_key_and_the_store_is_run_without_a_shell_and_its_stdout_is_not_kept(tmp_path: Path) -> None:
    store = stores.copy("empty", tmp_path)
    told = breach.run_command(store, "sh -c 'echo findings; echo $DBAUDIT_BREACH_KEY $DBAUDIT_DB $0 >&2' '$(id);*'", "{}", "abc", 60.0)
    assert told.message == f"abc {store.files.audit} $(id);*"


def test_what_a_command_says_is_made_printable_and_only_its_end_is_kept(tmp_path: Path) -> None:
    store = stores.copy("empty", tmp_path)
    said = breach.run_command(store, r"""sh -c 'printf "\033[31mred\033[0m\007 \377\000\nnext\n" >&2'""", "{}", "abc", 60.0).message
    assert said == "?[31mred?[0m? \N{REPLACEMENT CHARACTER}?\nnext"
    much = breach.run_command(store, "sh -c 'head -c 3000000 /dev/zero >&2; echo end >&2'", "{}", "abc", 60.0).message or ""
    assert (len(much), much[-4:]) == (1000, "?end")


# -- which findings are told, without audits: what a run found is put into the store as a run does

LIVE, GONE = 1, 99  # audits of the store, and not


def found(store: Store, findings: dict[str | None, str], audit: int | None = LIVE, status: str = "finished") -> int:
    """A run that found this, for each candidate; its number."""
    with store.writing() as session:
        claim = rounds._claim(session, find_schedule(session, "weekly"), "now", MONDAY)
        for candidate, digest in findings.items():
            rounds._keep(session, claim, rounds._Judgement(candidate, "breach", "found", ExitCode.BREACHED, audit, finding_digest=digest))
        rounds._finish_in(session, claim, status, "failed" if status == "failed" else None, MONDAY - HOUR)
    return int(claim["run_id"])


def tell(store: Store) -> list[tuple[str | None, str]]:
    return [(told["candidate"], told["status"]) for told in breach.tell_all(store, 1, MONDAY)]


def test_what_was_removed_before_it_could_be_told_is_told_when_it_is_found_again(tmp_path: Path) -> None:
    path = tmp_path / "told"
    store = hospital(tmp_path, f"tee -a {path}")
    found(store, {None: "d"}, GONE)
    assert tell(store) == [(None, "void")]
    run_id = found(store, {None: "d"})
    assert tell(store) == [(None, "told")]
    assert [(document["run_id"], document["audit_id"]) for document in documents(path)] == [(run_id, LIVE)]
    found(store, {None: "d"})
    assert tell(store) == []
    assert ask(store, "select breach_status from report.schedule_run order by run_id") == [("void",), ("told",), ("told",)]


def test_what_is_found_again_before_it_could_be_told_is_told_of_the_audit_that_is_still_there(tmp_path: Path) -> None:
    path = tmp_path / "told"
    store = hospital(tmp_path, f"tee -a {path}")
    found(store, {None: "d"}, GONE)
    run_id = found(store, {None: "d"})
    assert tell(store) == [(None, "told")]
    assert [(document["run_id"], document["audit_id"], document["occurrence"]) for document in documents(path)] == [(run_id, LIVE, 1)]


@pytest.mark.parametrize("what", [None, "r2"])
def test_what_was_not_there_in_a_finished_run_was_gone_and_a_failed_run_knows_nothing_of_it(tmp_path: Path, what: str | None) -> None:
    store = hospital(tmp_path, "true")
    found(store, {what: "d"})
    found(store, {None: "no answer"}, None, "failed")
    found(store, {what: "d"})
    assert tell(store) == [(what, "told"), (None, "told")], "the findings, and that a run failed"
    found(store, {None: "no answer"}, None, "failed")
    found(store, {None: "no answer"}, None, "failed")
    assert tell(store) == [(None, "told")], "it failed again after a run that did not"
    found(store, {})
    found(store, {what: "d"})
    assert tell(store) == [(what, "told")]
    assert ask(store, "select max(occurrence) from schedule.breach where finding_digest = 'd'") == [(2,)]
    assert ask(store, "select count(*) from schedule.run where finished_at < started_at") == [(0,)], "though the clock was set back"


def test_a_command_that_hangs_is_waited_for_once_in_a_round_and_what_hung_is_told_last_in_the_next(tmp_path: Path) -> None:
    store = hospital(tmp_path, "sleep 600", breach_timeout=0.1)
    found(store, {None: "d", "r2": "e"})
    assert [tell(store), tell(store)] == [[(None, "failing")], [("r2", "failing")]]
