"""Rounds as processes: killed at any moment, and two at once."""

from __future__ import annotations

import random
import time
from itertools import cycle
from pathlib import Path

import pytest

from dbaudit import ScheduleSpec, Store, add_schedule, check_store, run_due
from tests.schedule.helpers import ask, change, documents
from tests.sql import stores
from tests.store.shared import Command

KILLS = 30


def overdue(store: Store, limit: float) -> None:
    """Make the schedule due, and give it another limit: its findings are then others than before."""
    change(store, f"update schedule.schedule set next_due = timestamp '2026-01-01', max_probability = {limit}")


def hospital(tmp_path: Path, command: str) -> Store:
    store = stores.copy("republication", tmp_path)
    add_schedule(store, ScheduleSpec("weekly", "patients", "0 6 * * 1", max_probability=0.5, on_breach=command))
    return store


def started(store: Store, log: Path) -> Command:
    return Command(("schedule", "run", "--due", "--db", store.files.audit), log)


@pytest.mark.slow
def test_a_round_that_is_killed_at_any_moment_leaves_no_half_result_is_repeated_and_its_findings_are_told(tmp_path: Path) -> None:
    told, log, rng = tmp_path / "told", tmp_path / "log", random.Random(4)
    store = hospital(tmp_path, f"tee -a {told}")
    for number in range(2):  # the second one is not the first of its kind, which takes longer
        overdue(store, 0.5 + number / 100)
        command = started(store, log)
        assert command.end() == 1, command.said
    seconds = time.monotonic() - command.begun
    limits = [0.5, 0.51]
    stages: list[str] = []
    for moment in cycle(rng.sample(range(KILLS), KILLS)):
        limits.append(round(0.6 + len(limits) / 1000, 3))
        overdue(store, limits[-1])
        command = started(store, log)
        time.sleep((0.15 + 0.85 * (moment + rng.random()) / KILLS) * seconds)  # before that it has not read anything
        if command.kill():
            stages.append(_stage(store, limits[-1], told))
        run_due(store)
        assert ask(store, "select count(*) from schedule.run where status = 'running'") == [(0,)]
        last = ask(store, "select status, verdict, breach_status from report.schedule_run order by run_id desc limit 1")
        assert last == [("finished", "breach", "told")]
        if len(stages) == KILLS:
            break
    print(f"a round takes {seconds:.2f} s; killed: {sorted((stage, stages.count(stage)) for stage in set(stages))}")
    assert stages.count("running") >= KILLS / 5, "the kills must hit"

    # Not one audit too many or too few, and each whole.
    assert ask(store, "select threshold, count(distinct audit_id) from report.finding group by all order by all") == [(limit, 1) for limit in limits]
    assert ask(store, "select count(*) from result.audit where audit_id not in (select audit_id from schedule.judgement) and verdict = 'breach'") == [(0,)]
    assert check_store(store).found == []
    # Every set of findings was told, and whoever drops repeats by their key reads each once.
    by_key = {document["key"]: document for document in documents(told)}
    assert sorted(document["max_probability"] for document in by_key.values()) == limits
    assert all(document == by_key[document["key"]] for document in documents(told))
    assert {len(document["findings"]) for document in by_key.values()} == {document["finding_count"] for document in by_key.values()}


def _stage(store: Store, limit: float, told: Path) -> str:
    """How far a killed round had come."""
    status = ask(store, "select status from schedule.run where due_at = timestamp '2026-01-01' and started_at = (select max(started_at) from schedule.run)")
    if not ask(store, "select 1 from schedule.schedule where next_due > timestamp '2026-01-01'"):
        return "running" if status and status[-1] == ("running",) else "not begun"
    return "told" if any(document["max_probability"] == limit for document in documents(told)) else "ended"


def test_two_rounds_at_once_run_what_is_due_once(tmp_path: Path) -> None:
    telling = tmp_path / "telling"
    store = hospital(tmp_path, f"sh -c 'touch {telling}; sleep 2'")
    overdue(store, 0.5)
    first = started(store, tmp_path / "first")
    while not telling.exists():
        assert first.process.is_alive()
        time.sleep(0.02)
    second = started(store, tmp_path / "second")
    assert second.end() == 0
    assert second.said == "Another process is running the schedules of this store now; it does what is due.\n"
    assert first.end() == 1, first.said
    assert ask(store, "select status from schedule.run") == [("finished",)]
