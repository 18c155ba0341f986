"""Commands about audits that run by themselves."""

from __future__ import annotations

import shlex
import shutil
from pathlib import Path
from typing import Annotated

import typer

import dbaudit
from dbaudit.cli.options import DatasetName, Db, Json, Wait, same_store, the_store
from dbaudit.cli.show import hint, print_json, print_rows, progress, say
from dbaudit.errors import UsageError

schedule_app = typer.Typer(help="Audit again and again, without anybody asking.", no_args_is_help=True, rich_markup_mode=None)

ScheduleName = Annotated[str, typer.Argument(metavar="NAME", help="Name of the schedule.")]


def register(app: typer.Typer) -> None:
    """Hang these commands into the program."""
    app.add_typer(schedule_app, name="schedule")


@schedule_app.command("add")
def schedule_add(
    name: ScheduleName,
    dataset: DatasetName,
    cron: Annotated[str, typer.Option("--cron", metavar="FIELDS", help="When: minute, hour, day of month, month, day of week.")],
    time_zone: Annotated[str, typer.Option("--time-zone", metavar="ZONE", help="Whose clock these are read on, such as Europe/Berlin.")] = "UTC",
    watch: Annotated[Path | None, typer.Option("--watch", metavar="DIR", help="Folder in which candidates are laid down, each with a manifest.")] = None,
    adversary: Annotated[str, typer.Option("--adversary", metavar="NAME", help="Whose knowledge to assume.")] = "default",
    max_probability: Annotated[
        float | None, typer.Option("--max-probability", metavar="P", help="A breach if a person's value is more probable.", show_default="nothing is judged")
    ] = None,
    on_breach: Annotated[
        str | None, typer.Option("--on-breach", metavar="COMMAND", help="Run this without a shell, with the findings as JSON on its stdin.")
    ] = None,
    breach_timeout: Annotated[float, typer.Option("--breach-timeout", metavar="SECONDS", help="End that command after so long.")] = 60.0,
    db: Db = None,
    wait: Wait = 0.0,
    json: Json = False,
) -> None:
    """Make a schedule. It runs when something calls `schedule run --due`: cron, or a systemd timer.

    Example: dbaudit schedule add weekly patients --cron "0 6 * * 1" --time-zone Europe/Berlin --max-probability 0.8
    """
    spec = dbaudit.ScheduleSpec(name, dataset, cron, time_zone, watch, adversary, max_probability, on_breach, breach_timeout)
    store = the_store(db, wait)
    row = dbaudit.add_schedule(store, spec)
    if json:
        print_json(row)
        return
    say(f"Added {name}. Its next times: {', '.join(row['next_times'])}.")
    if on_breach is not None and max_probability is None:
        hint("Note: without --max-probability nothing is judged, and the command is told only where there is no answer.")
    program, audit = (shlex.quote(str(part)) for part in (shutil.which("dbaudit") or "dbaudit", store.files.audit.resolve()))
    call = f"{program} schedule run --due --db {audit}".replace("%", "\\%")  # to cron, a plain % ends the line
    hint(f"Let cron look every five minutes: */5 * * * * {call}")


@schedule_app.command("list")
def schedule_list(db: Db = None, wait: Wait = 0.0, json: Json = False) -> None:
    """List the schedules with their next times, each on its own clock.

    Example: dbaudit schedule list
    """
    rows = dbaudit.list_schedules(the_store(db, wait))
    if json:
        print_json(rows)
    else:
        print_rows(rows, ["schedule", "dataset", "cron", "time_zone", "max_probability", "watch_folder", "is_paused", "last_status", "next_times"])


@schedule_app.command("pause")
def schedule_pause(name: ScheduleName, db: Db = None, wait: Wait = 0.0) -> None:
    """Let a schedule rest until it is resumed.

    Example: dbaudit schedule pause weekly
    """
    dbaudit.pause_schedule(the_store(db, wait), name)
    say(f"Paused {name}.")


@schedule_app.command("resume")
def schedule_resume(name: ScheduleName, db: Db = None, wait: Wait = 0.0) -> None:
    """End a pause. What fell into it is not caught up.

    Example: dbaudit schedule resume weekly
    """
    due = dbaudit.resume_schedule(the_store(db, wait), name)
    say(f"Resumed {name}. It is due at {due:%Y-%m-%d %H:%M} UTC.")


@schedule_app.command("remove")
def schedule_remove(name: ScheduleName, db: Db = None, wait: Wait = 0.0) -> None:
    """Remove a schedule and the history of its runs. Its audits and candidates stay.

    Example: dbaudit schedule remove weekly
    """
    dbaudit.remove_schedule(the_store(db, wait), name)
    say(f"Removed {name}.")


@schedule_app.command("history")
def schedule_history(name: ScheduleName, db: Db = None, wait: Wait = 0.0, json: Json = False) -> None:
    """Tell what became of a schedule's runs and of what was laid into its folder, latest first. Times are UTC.

    Example: dbaudit schedule history weekly
    """
    history = dbaudit.schedule_history(the_store(db, wait), name)
    if json:
        print_json({"runs": history.runs, "events": history.events})
        return
    print_rows(history.runs, ["run_id", "trigger", "started_at", "status", "candidate", "verdict", "audit_id", "is_repeated", "breach_status", "message"])
    if history.events:
        say("")
        print_rows(history.events, ["manifest", "state", "first_at", "last_at", "release", "message"])


@schedule_app.command("run")
def schedule_run(
    name: Annotated[str | None, typer.Argument(metavar="NAME", help="Run this schedule now, whether it is due or not.")] = None,
    due: Annotated[bool, typer.Option("--due", help="Run every schedule that is due: for cron or systemd.")] = False,
    db: Db = None,
    wait: Wait = 60.0,
    json: Json = False,
) -> None:
    """Run a schedule now, or all that are due. Ends with the gravest of what was found: 4, 5, 1, 3, 2 or 0; with 6 if the store cannot be used.

    Example: dbaudit schedule run --due
    """
    if (name is None) is not due:
        raise UsageError("give the name of a schedule, or --due for all that are due.")
    store = the_store(db, wait)
    with progress() as watch:
        done = dbaudit.run_due(store, watch=watch) if name is None else dbaudit.run_schedule(store, name, watch=watch)
    if json:
        print_json(done.as_data())
    elif done.is_busy:
        hint("Another process is running the schedules of this store now; it does what is due.")
    elif not done.words:
        hint("Nothing is due.")
    else:
        say(*done.words)
        if name is not None:
            hint(f"Look further: dbaudit schedule history{same_store(db)} {name}")
    raise typer.Exit(done.exit_code)
