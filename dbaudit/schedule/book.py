"""Keep the schedules: add, list, pause, resume, remove, and tell what became of their runs."""

from __future__ import annotations

import datetime
from dataclasses import dataclass
from itertools import islice
from typing import Any

from dbaudit.dataset import find_dataset
from dbaudit.errors import UsageError
from dbaudit.knowledge import find_adversary
from dbaudit.schedule import plan
from dbaudit.schedule.lock import only_round
from dbaudit.schedule.plan import ScheduleSpec
from dbaudit.store import Session, Store

_SHOWN_TIMES = 3


@dataclass(frozen=True)
class ScheduleHistory:
    """What became of the runs of a schedule, and what was seen in its folder; both latest first."""

    runs: list[dict[str, Any]]
    events: list[dict[str, Any]]


def add_schedule(store: Store, spec: ScheduleSpec, *, now: datetime.datetime | None = None) -> dict[str, Any]:
    """Make a schedule; returns its row, as `list_schedules` tells it."""
    at = plan.as_utc(now)
    with store.writing() as session:
        find_dataset(session, spec.dataset)
        find_adversary(session, spec.adversary)
        if spec.name in _names(session):
            raise UsageError(f"there is a schedule {spec.name} already. Choose another name, or remove it first: dbaudit schedule remove {spec.name}")
        session.run(
            "write/schedule_add",
            schedule=spec.name,
            dataset=spec.dataset,
            cron=spec.cron,
            time_zone=spec.time_zone,
            adversary=spec.adversary,
            max_probability=spec.max_probability,
            watch_folder=str(spec.watch.resolve()) if spec.watch else None,
            on_breach=plan.full_command(spec.on_breach) if spec.on_breach else None,
            breach_timeout=spec.breach_timeout,
            added_at=at,
            next_due=plan.next_due(spec.cron, spec.time_zone, at),
        )
        return next(row for row in _listed(session, at) if row["schedule"] == spec.name)


def list_schedules(store: Store, *, now: datetime.datetime | None = None) -> list[dict[str, Any]]:
    """All schedules, as report.schedule tells them, each with its next times on its own clock."""
    with store.reading() as session:
        return _listed(session, plan.as_utc(now))


def pause_schedule(store: Store, name: str, *, now: datetime.datetime | None = None) -> None:
    """Let a schedule rest: it is not due until it is resumed."""
    with store.writing() as session:
        if find_schedule(session, name)["paused_at"] is not None:
            raise UsageError(f"the schedule {name} is paused already.")
        session.engine.run("pause", "update schedule.schedule set paused_at = ? where schedule = ?", [plan.as_utc(now), name])


def resume_schedule(store: Store, name: str, *, now: datetime.datetime | None = None) -> datetime.datetime:
    """End a pause. What fell into it is not caught up; returns when the schedule is due next (UTC)."""
    with store.writing() as session:
        row = find_schedule(session, name)
        if row["paused_at"] is None:
            raise UsageError(f"the schedule {name} is not paused.")
        due = plan.next_due(row["cron"], row["time_zone"], plan.as_utc(now))
        session.engine.run("resume", "update schedule.schedule set paused_at = null, next_due = ? where schedule = ?", [due, name])
        return due


def remove_schedule(store: Store, name: str) -> None:
    """Remove a schedule and the history of its runs. The audits that it made, and the candidates, stay."""
    with only_round(store, wait=store.wait), store.writing() as session:
        schedule_id = find_schedule(session, name)["schedule_id"]
        session.run("write/schedule_forget_judgement", schedule_id=schedule_id)
        session.remove_rows("schedule_id", schedule_id, schema="schedule")


def schedule_history(store: Store, name: str) -> ScheduleHistory:
    """The runs of a schedule, as report.schedule_run tells them, and what was seen in its folder, as report.schedule_event does."""
    with store.reading() as session:
        find_schedule(session, name)
        runs = session.engine.dicts("runs", "select * from report.schedule_run where schedule = ? order by run_id desc, candidate nulls first", [name])
        events = session.engine.dicts("events", "select * from report.schedule_event where schedule = ? order by event_id desc", [name])
        return ScheduleHistory(runs, events)


def find_schedule(session: Session, name: str) -> dict[str, Any]:
    """A schedule's row; raises UsageError with the names that exist."""
    rows = session.engine.dicts("schedule", "select * from schedule.schedule where schedule = ?", [name])
    if not rows:
        known = _names(session)
        raise UsageError(f"there is no schedule {name}. " + (f"Known: {', '.join(known)}." if known else "Make one with: dbaudit schedule add"))
    return rows[0]


def _names(session: Session) -> list[str]:
    return [name for (name,) in session.engine.rows("schedules", "select schedule from schedule.schedule order by schedule")]


def corrected(session: Session, now: datetime.datetime) -> dict[str, datetime.datetime]:
    """When those schedules are due, by name, that are noted for a later time than they should be, because a clock was ahead."""
    coming = session.rows("read/schedule_coming", now=now)
    dues = [(row, plan.corrected_due(row, now)) for row in coming]
    return {row["schedule"]: due for row, due in dues if due < row["next_due"]}


def _listed(session: Session, at: datetime.datetime) -> list[dict[str, Any]]:
    rows = session.engine.dicts("schedules", "select * from report.schedule order by schedule")
    dues = corrected(session, at)
    listed = [{**row, "next_due": dues.get(row["schedule"], row["next_due"])} for row in rows]
    return [{**row, "next_times": _next_times(row, at)} for row in listed]


def _next_times(row: dict[str, Any], at: datetime.datetime) -> list[str]:
    """The next few times on the schedule's own clock. What is overdue comes first; a paused schedule has none."""
    if row["is_paused"]:
        return []
    due = row["next_due"]
    coming = islice(plan.times(row["cron"], row["time_zone"], max(due, at)), _SHOWN_TIMES - 1)
    return [plan.on_the_clock(moment, row["time_zone"]) for moment in (due, *coming)]
