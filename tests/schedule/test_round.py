"""Rounds: what is due runs once, what is missed is caught up once, what has not changed is not stored again, and what dies is repeated."""

from __future__ import annotations

import datetime
import hashlib
import shutil
from pathlib import Path

import pytest

from dbaudit import (
    ReleaseSpec,
    ScheduleSpec,
    Store,
    StoreLocked,
    UsageError,
    add_release,
    add_schedule,
    check_store,
    list_audits,
    list_schedules,
    pause_schedule,
    publish_release,
    remove_audit,
    remove_dataset,
    remove_release,
    remove_schedule,
    resume_schedule,
    run_audit,
    run_due,
    run_query,
    run_schedule,
    schedule_history,
)
from dbaudit.errors import ExitCode
from dbaudit.schedule import round as rounds
from dbaudit.schedule.lock import only_round
from tests.schedule.helpers import HOSPITAL, HOUR, MONDAY, WEEK, ask, change, documents, lay, manifest
from tests.sql import stores

WEEKLY = ScheduleSpec("weekly", "patients", "0 6 * * 1", max_probability=0.8)


@pytest.fixture
def hospital(tmp_path: Path) -> Store:
    """One published release, and a schedule that is due every Monday at six."""
    store = stores.copy("hospital", tmp_path)
    add_schedule(store, WEEKLY, now=MONDAY - HOUR)
    return store


def runs(store: Store, *columns: str) -> list[tuple]:
    return ask(store, f"select {', '.join(columns)} from report.schedule_run order by run_id, candidate nulls first")


def next_due(store: Store) -> datetime.datetime:
    return ask(store, "select next_due from report.schedule where schedule = 'weekly'")[0][0]


def test_a_run_is_due_at_its_time_and_then_again_a_week_later(hospital: Store) -> None:
    assert run_due(hospital, now=MONDAY - HOUR / 60).words == []
    done = run_due(hospital, now=MONDAY + HOUR / 60)
    assert [(run["trigger"], run["due_at"], run["status"], run["verdict"]) for run in done.runs] == [("due", MONDAY, "finished", "pass")]
    assert done.exit_code is ExitCode.PASSED
    assert run_due(hospital, now=MONDAY + 2 * HOUR).runs == []
    (row,) = list_schedules(hospital, now=MONDAY + HOUR)
    assert row["next_due"] == MONDAY + WEEK
    assert row["next_times"] == [f"Mon 2026-06-{day:02} 06:00 UTC" for day in (8, 15, 22)]


def test_missed_runs_are_caught_up_once(hospital: Store) -> None:
    assert list_schedules(hospital, now=MONDAY + 5 * WEEK + HOUR)[0]["next_times"][0] == "Mon 2026-06-01 06:00 UTC"
    (run,) = run_due(hospital, now=MONDAY + 5 * WEEK + HOUR).runs
    assert run["due_at"] == MONDAY
    assert run_due(hospital, now=MONDAY + 5 * WEEK + 2 * HOUR).runs == []
    assert next_due(hospital) == MONDAY + 6 * WEEK


def test_a_time_that_passes_while_a_run_lasts_is_still_run(hospital: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    clock = [MONDAY]

    def long_audit(*arguments):
        clock[0] = MONDAY + WEEK + HOUR
        return run_audit(*arguments)

    monkeypatch.setattr("dbaudit.schedule.plan.as_utc", lambda _now: clock[0])
    monkeypatch.setattr(rounds, "run_audit", long_audit)
    run_due(hospital)
    assert runs(hospital, "due_at", "finished_at") == [(MONDAY, MONDAY + WEEK + HOUR)]
    assert ask(hospital, "select next_due from report.schedule") == [(MONDAY + WEEK,)]


@pytest.mark.slow
def test_asked_for_early_a_schedule_still_runs_at_its_time_and_asked_for_late_it_has_run(hospital: Store) -> None:
    assert run_schedule(hospital, "weekly", now=MONDAY - HOUR / 2).runs[0]["trigger"] == "now"
    assert next_due(hospital) == MONDAY
    run_schedule(hospital, "weekly", now=MONDAY + HOUR)
    assert run_due(hospital, now=MONDAY + 2 * HOUR).runs == []
    assert next_due(hospital) == MONDAY + WEEK


def test_a_paused_schedule_rests_until_it_is_resumed_and_then_waits_for_its_next_time(hospital: Store) -> None:
    pause_schedule(hospital, "weekly", now=MONDAY - HOUR)
    assert run_due(hospital, now=MONDAY + WEEK).runs == []
    assert list_schedules(hospital)[0]["next_times"] == []
    assert len(run_schedule(hospital, "weekly", now=MONDAY + WEEK).runs) == 1
    assert resume_schedule(hospital, "weekly", now=MONDAY + 2 * WEEK + HOUR) == MONDAY + 3 * WEEK
    assert run_due(hospital, now=MONDAY + 2 * WEEK + 2 * HOUR).runs == []
    assert next_due(hospital) == MONDAY + 3 * WEEK
    with pytest.raises(UsageError, match="not paused"):
        resume_schedule(hospital, "weekly")


def test_what_has_not_changed_is_not_stored_again_and_what_has_is(hospital: Store) -> None:
    first = run_due(hospital, now=MONDAY).runs[0]
    second = run_due(hospital, now=MONDAY + WEEK).runs[0]
    assert (first["is_repeated"], second["is_repeated"], second["audit_id"], second["verdict"]) == (False, True, first["audit_id"], "pass")
    stored = [audit["audit_id"] for audit in list_audits(hospital)]
    add_release(hospital, ReleaseSpec("patients", "r2", "bucketized", HOSPITAL / "r2.csv", bucket="bucket"))
    third = run_due(hospital, now=MONDAY + 2 * WEEK)
    assert (third.runs[0]["verdict"], third.runs[0]["is_repeated"], third.exit_code) == ("breach", False, ExitCode.BREACHED)
    assert [audit["audit_id"] for audit in list_audits(hospital)] == [*stored, third.runs[0]["audit_id"]]
    assert {row["person"] for row in run_query(hospital, "select person from report.finding").to_pylist()} == {"7", "10", "13"}  # Figure 1: all certain


@pytest.mark.slow
def test_a_schedule_without_a_limit_judges_nothing(tmp_path: Path) -> None:
    store = stores.copy("republication", tmp_path)
    told = tmp_path / "told"
    add_schedule(store, ScheduleSpec("look", "patients", "0 6 * * 1", on_breach=f"tee -a {told}"), now=MONDAY - HOUR)
    done = run_due(store, now=MONDAY)
    assert (done.runs[0]["verdict"], done.exit_code, documents(told)) == ("unjudged", ExitCode.PASSED, [])


@pytest.mark.slow
def test_a_contradiction_is_unknown_is_told_and_is_no_pass(tmp_path: Path) -> None:
    store = stores.copy("contradiction", tmp_path)
    told = tmp_path / "told"
    add_schedule(store, ScheduleSpec("pairs", "pair", "0 6 * * 1", max_probability=1.0, on_breach=f"tee -a {told}"), now=MONDAY - HOUR)
    for week in range(2):
        done = run_due(store, now=MONDAY + week * WEEK)
        assert (done.runs[0]["verdict"], done.exit_code) == ("unknown", ExitCode.CONTRADICTION)
    (document,) = documents(told)
    assert (document["verdict"], document["findings"]) == ("unknown", [])
    assert "contradict each other" in document["message"]
    assert check_store(store).found == []


def test_a_removed_dataset_fails_with_a_sentence_and_is_told_once(tmp_path: Path) -> None:
    store, told = stores.copy("hospital", tmp_path), tmp_path / "told"
    add_schedule(store, ScheduleSpec("guard", "patients", "0 6 * * 1", on_breach=f"tee -a {told}"), now=MONDAY - HOUR)
    remove_dataset(store, "patients", with_audits=True)
    for week in range(2):
        done = run_due(store, now=MONDAY + week * WEEK)
        assert [(run["status"], run["verdict"]) for run in done.runs] == [("failed", "unknown")]
        assert done.exit_code is ExitCode.USAGE
        assert "there is no dataset patients" in done.words[0]
    assert [(document["schedule"], document["verdict"], document["audit_id"]) for document in documents(told)] == [("guard", "unknown", None)]
    assert check_store(store).found == []


def test_with_nothing_published_there_is_nothing_to_judge(hospital: Store) -> None:
    remove_release(hospital, "patients", "r1")
    (run,) = run_due(hospital, now=MONDAY).runs
    assert (run["status"], run["verdict"], run["audit_id"]) == ("finished", None, None)
    assert "nothing is published yet" in run["message"]


@pytest.mark.slow
def test_one_schedule_that_fails_does_not_keep_the_others_from_their_turn(hospital: Store, tmp_path: Path) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    add_schedule(hospital, ScheduleSpec("first", "patients", "0 5 * * 1", watch=folder), now=MONDAY - 2 * HOUR)
    folder.rmdir()
    done = run_due(hospital, now=MONDAY)
    assert [(run["schedule"], run["status"]) for run in done.runs] == [("first", "failed"), ("weekly", "finished")]
    assert "cannot be read" in done.runs[0]["message"]


def test_a_mistake_of_ours_is_recorded_and_raised_and_not_repeated_for_ever(hospital: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(rounds, "run_audit", lambda *_: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            run_due(hospital, now=MONDAY)
    assert runs(hospital, "status", "message") == [("failed", "this is a mistake in dbaudit (ZeroDivisionError).")]
    assert run_due(hospital, now=MONDAY + HOUR).runs == []


def test_a_mistake_of_ours_is_told_and_keeps_no_other_schedule_from_its_turn(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store, told = stores.copy("hospital", tmp_path), tmp_path / "told"
    for name in ("first", "second"):
        add_schedule(store, ScheduleSpec(name, "patients", "0 6 * * 1", on_breach=f"tee -a {told}"), now=MONDAY - HOUR)
    monkeypatch.setattr(rounds, "run_audit", lambda *_: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        run_due(store, now=MONDAY)
    with pytest.raises(ZeroDivisionError):
        run_schedule(store, "first", now=MONDAY)
    assert [(document["schedule"], document["verdict"]) for document in documents(told)] == [("first", "unknown"), ("second", "unknown")]
    assert [row["status"] for row in schedule_history(store, "first").runs] == ["failed", "failed"]


def test_a_clock_that_was_ahead_does_not_stop_a_schedule(hospital: Store) -> None:
    change(hospital, "update schedule.schedule set next_due = timestamp '2036-01-07 06:00'")
    (row,) = list_schedules(hospital, now=MONDAY - HOUR)
    assert (row["next_due"], row["next_times"][:2]) == (MONDAY, ["Mon 2026-06-01 06:00 UTC", "Mon 2026-06-08 06:00 UTC"])
    assert run_due(hospital, now=MONDAY - HOUR).runs == []
    assert next_due(hospital) == MONDAY


def test_a_clock_that_is_set_back_neither_repeats_a_run_nor_makes_the_store_look_damaged(hospital: Store) -> None:
    moment = HOUR / 3600
    change(hospital, f"update schedule.schedule set next_due = timestamp '{MONDAY + WEEK}'")
    change(hospital, f"insert into schedule.run values (90, 1, 'due', timestamp '{MONDAY}', timestamp '{MONDAY}', timestamp '{MONDAY}', 'finished', 'p', null)")
    assert run_due(hospital, now=MONDAY - moment).runs == []
    assert next_due(hospital) == MONDAY + WEEK
    change(hospital, "insert into schedule.run values (91, 1, 'now', null, timestamp '2030-01-01', null, 'running', 'p', null)")
    pause_schedule(hospital, "weekly", now=MONDAY - WEEK)
    assert run_due(hospital, now=MONDAY - WEEK).runs == []
    assert runs(hospital, "message")[-1] == ("it did not end: p was killed, interrupted or broke down. It is not repeated: the schedule is paused.",)
    assert resume_schedule(hospital, "weekly", now=MONDAY - 2 * WEEK) == MONDAY - WEEK
    assert check_store(hospital).found == []


def test_a_run_that_died_is_marked_as_failed_and_repeated(hospital: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    def die(*_arguments):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(rounds, "_finish", die)  # after its audit was stored
        with pytest.raises(KeyboardInterrupt):
            run_due(hospital, now=MONDAY)
    assert runs(hospital, "status", "verdict") == [("running", None)]
    stored = len(list_audits(hospital))
    done = run_due(hospital, now=MONDAY + HOUR)
    assert runs(hospital, "status", "verdict", "is_repeated") == [("failed", "unknown", None), ("finished", "pass", True)]
    assert len(list_audits(hospital)) == stored, "the audit of the dead run was taken over"
    assert done.runs[0]["due_at"] == MONDAY
    assert "was killed, interrupted or broke down. It is repeated." in runs(hospital, "message")[0][0]
    assert check_store(hospital).found == []


def test_a_run_that_somebody_asked_for_and_that_died_is_repeated_by_the_next_round(hospital: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(rounds, "_judge", lambda *_: (_ for _ in ()).throw(KeyboardInterrupt))
        with pytest.raises(KeyboardInterrupt):
            run_schedule(hospital, "weekly", now=MONDAY - HOUR / 2)
    assert [run["status"] for run in run_due(hospital, now=MONDAY - HOUR / 3).runs] == ["finished"]
    assert next_due(hospital) == MONDAY


def test_a_schedule_that_is_killed_again_and_again_comes_after_the_others(hospital: Store) -> None:
    add_schedule(hospital, ScheduleSpec("second", "patients", "0 7 * * 1"), now=MONDAY)
    change(hospital, f"insert into schedule.run values (90, 1, 'due', timestamp '{MONDAY}', timestamp '{MONDAY}', null, 'running', 'process 1', null)")
    with hospital.reading() as session:
        work = session.rows("read/schedule_work", now=MONDAY + 2 * HOUR)
    assert [(row["schedule"], row["is_due"], row["is_dead"]) for row in work] == [("second", True, False), ("weekly", True, True)]


def test_two_rounds_at_once_do_not_collide(hospital: Store) -> None:
    with only_round(hospital, wait=0.0):
        done = run_due(hospital, now=MONDAY)
        assert (done.is_busy, done.runs, done.exit_code) == (True, [], ExitCode.PASSED)
        with pytest.raises(StoreLocked, match="another process is running the schedules"):
            run_schedule(hospital, "weekly")
        with pytest.raises(StoreLocked):
            remove_schedule(hospital, "weekly")
    assert len(run_due(hospital, now=MONDAY).runs) == 1


def test_a_link_to_the_store_leads_to_the_same_round(hospital: Store, tmp_path: Path) -> None:
    link = tmp_path / "link.duckdb"
    link.symlink_to(hospital.files.audit)
    with only_round(Store(link), wait=0.0):
        assert run_due(hospital, now=MONDAY).is_busy


def test_a_removed_schedule_leaves_its_audits_and_nothing_else(hospital: Store) -> None:
    run_due(hospital, now=MONDAY)
    audits = list_audits(hospital)
    remove_audit(hospital, audits[0]["audit_id"])
    assert schedule_history(hospital, "weekly").runs[0]["verdict"] == "pass"
    assert check_store(hospital).found == [], "an audit may go; what its run found was so all the same"
    remove_schedule(hospital, "weekly")
    assert list_audits(hospital) == audits[1:]
    for table in ("schedule", "run", "judgement", "breach", "event"):
        assert ask(hospital, f"select count(*) from schedule.{table}") == [(0,)]
    with pytest.raises(UsageError, match="no schedule weekly"):
        schedule_history(hospital, "weekly")
    assert check_store(hospital).found == []


def test_a_name_that_is_taken_and_a_dataset_or_adversary_that_is_not_there_are_refused(hospital: Store) -> None:
    with pytest.raises(UsageError, match="schedule weekly already"):
        add_schedule(hospital, WEEKLY)
    with pytest.raises(UsageError, match="no dataset people"):
        add_schedule(hospital, ScheduleSpec("w", "people", "0 6 * * 1"))
    with pytest.raises(UsageError, match="no adversary eve"):
        add_schedule(hospital, ScheduleSpec("w", "patients", "0 6 * * 1", adversary="eve"))


@pytest.mark.slow
def test_where_an_audit_makes_no_sense_the_others_are_made_all_the_same(tmp_path: Path) -> None:
    """A population without ids can be set against one release only: with a candidate on top there is no answer, but the history has one."""
    store = stores.copy("no_id", tmp_path)
    folder = tmp_path / "in"
    folder.mkdir()
    shutil.copy(stores.FIXTURES / "no_id" / "r1.csv", folder / "r2.csv")
    manifest(folder, sha256=hashlib.sha256((folder / "r2.csv").read_bytes()).hexdigest())
    add_schedule(store, ScheduleSpec("town", "town", "0 6 * * 1", watch=folder), now=MONDAY - HOUR)
    done = run_due(store, now=MONDAY)
    assert [(run["candidate"], run["status"], run["verdict"]) for run in done.runs] == [(None, "finished", "unjudged"), ("r2", "finished", "unknown")]
    assert "exactly one release" in done.runs[1]["message"]
    assert done.exit_code is ExitCode.USAGE


@pytest.mark.slow
def test_a_candidate_that_was_published_belongs_to_the_history(tmp_path: Path) -> None:
    store = stores.copy("hospital", tmp_path)
    folder = tmp_path / "in"
    folder.mkdir()
    lay(folder, date=datetime.date(2026, 2, 1))
    add_schedule(store, ScheduleSpec("weekly", "patients", "0 6 * * 1", watch=folder, max_probability=0.8), now=MONDAY - HOUR)
    assert [(run["candidate"], run["verdict"]) for run in run_due(store, now=MONDAY).runs] == [(None, "pass"), ("r2", "breach")]
    publish_release(store, "patients", "r2")
    assert [(run["candidate"], run["verdict"]) for run in run_due(store, now=MONDAY + WEEK).runs] == [(None, "breach")]
