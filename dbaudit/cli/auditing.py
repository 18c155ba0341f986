"""Commands about what was found: audits, queries, reports and the demonstration."""

from __future__ import annotations

import sys
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

import dbaudit
from dbaudit.cli.options import AuditId, DatasetName, Db, Json, Wait, same_store, the_store
from dbaudit.cli.show import hint, print_json, print_rows, print_table, progress, remark, say
from dbaudit.errors import ExitCode, UsageError
from dbaudit.spec import AuditSpec, names, numbers

GRAVEST_FIRST = (ExitCode.CONTRADICTION, ExitCode.NOT_SOLVED, ExitCode.BREACHED, ExitCode.PASSED)
"""How a command ends that ran several audits."""

audits_app = typer.Typer(help="Look at audits that were run.", no_args_is_help=True, rich_markup_mode=None)


class Format(StrEnum):
    """How the answer to a query is printed."""

    table = "table"
    csv = "csv"
    json = "json"
    parquet = "parquet"


def register(app: typer.Typer) -> None:
    """Hang these commands into the program."""
    app.command()(audit)
    app.add_typer(audits_app, name="audits")
    app.command()(sql)
    app.command("report")(report_command)
    app.command()(demo)


def audit(
    dataset: DatasetName,
    releases: Annotated[
        list[str] | None, typer.Option("--releases", metavar="NAMES", help="Only these releases.", show_default="all that were ever published")
    ] = None,
    candidate: Annotated[str | None, typer.Option("--candidate", metavar="NAME", help="Also this candidate, as if it were published.")] = None,
    adversary: Annotated[
        list[str] | None, typer.Option("--adversary", metavar="NAMES", help="Whose knowledge to assume; an audit for each of several.", show_default="default")
    ] = None,
    bounds: Annotated[bool, typer.Option("--bounds", help="Also what is certain: lower and upper for everybody.")] = False,
    bounds_for: Annotated[list[str] | None, typer.Option("--bounds-for", metavar="PERSON", help="The same for one person; may be repeated.")] = None,
    bounds_worst: Annotated[int, typer.Option("--bounds-worst", metavar="N", help="The same for the N most exposed persons.")] = 0,
    full_model: Annotated[
        bool, typer.Option("--full-model", help="Send everything to the general solver, as the papers print it: slower, the same answer.")
    ] = False,
    max_probability: Annotated[
        float | None, typer.Option("--max-probability", metavar="P", help="Judge: nobody's value may be more probable than this; otherwise exit code 1.")
    ] = None,
    sweep: Annotated[
        str | None,
        typer.Option("--sweep", metavar="BOUNDS", help="An audit for each number of strongest mined rules known, half positive and half negative: 0,10,100."),
    ] = None,
    plot: Annotated[Path | None, typer.Option("--plot", metavar="FILE", help="With --sweep: also draw it, as FILE.svg or FILE.png.")] = None,
    accuracy: Annotated[
        bool, typer.Option("--accuracy", help="Also measure, with the microdata, how far the answer is from the truth: estimation_accuracy in result.metric.")
    ] = False,
    db: Db = None,
    wait: Wait = 0.0,
    json: Json = False,
) -> None:
    """Work out what the published releases give away.

    Example: dbaudit audit patients --releases r1,r2
    """
    specs = [
        AuditSpec(
            dataset,
            names(releases or []),
            candidate,
            name,
            bounds,
            tuple(bounds_for or ()),
            bounds_worst,
            full_model,
            max_probability,
            accuracy=accuracy,
        )
        for name in dict.fromkeys(names(adversary or ["default"]))
    ]
    if not specs:
        raise UsageError("--adversary names nobody. Leave it out for default.")
    store = the_store(db, wait)
    if len(specs) > 1:
        _refuse_unknown(store, [spec.adversary for spec in specs])
    if plot is not None and (sweep is None or len(specs) > 1):
        raise UsageError("--plot draws one sweep: give --sweep with it, and one --adversary.")
    if sweep is None:
        outcomes = _audits(store, specs, json, same_store(db))
    else:
        outcomes = _sweeps(store, specs, numbers("--sweep", sweep), plot, json, same_store(db))
    codes = {outcome.exit_code for outcome in outcomes}
    raise typer.Exit(next(code for code in GRAVEST_FIRST if code in codes))


def _refuse_unknown(store: dbaudit.Store, adversaries: list[str]) -> None:
    """Before the first of several audits is stored: one that cannot be run shall not leave the others behind."""
    for name in adversaries:
        dbaudit.show_adversary(store, name)


def _audits(store: dbaudit.Store, specs: list[AuditSpec], json: bool, same: str) -> list[dbaudit.Outcome]:
    """Run an audit for each adversary."""
    from dbaudit import report

    outcomes = []
    for spec in specs:
        with progress() as watch:
            outcome = dbaudit.run_audit(store, spec, watch)
        outcomes.append(outcome)
        remark(outcome.remarks)
        if json:
            continue
        say(*report.summary(report.gather(store, outcome.audit_id)), *([""] if spec is not specs[-1] else []))
        if outcome.row["status"] == "solved":
            worst = f"select * from report.disclosure where audit_id = {outcome.audit_id} order by max_probability desc limit 10"
            hint(f'Look further: dbaudit sql{same} "{worst}"')
    if json:
        print_json(outcomes[0].row if len(specs) == 1 else [outcome.row for outcome in outcomes])
    return outcomes


def _sweeps(store: dbaudit.Store, specs: list[AuditSpec], bounds: tuple[int, ...], plot: Path | None, json: bool, same: str) -> list[dbaudit.Outcome]:
    """Run a sweep for each adversary."""
    from dbaudit.chart import checked_ending
    from dbaudit.sweep import check_sweep

    # Before any audit is run for it.
    for spec in specs:
        check_sweep(spec, bounds)
    if plot is not None:
        checked_ending(plot)
    sweeps = []
    for spec in specs:
        with progress() as watch:
            sweep = dbaudit.run_sweep(store, spec, bounds, watch)
        sweeps.append(sweep)
        remark(sweep.remarks)
        if plot is not None:
            dbaudit.draw_sweep(sweep, plot)
        if not json:
            say(*sweep.words)
            print_rows(sweep.table)
            hint(f'Again, whenever you like: dbaudit sql{same} "select * from report.sweep where sweep_id = {sweep.sweep_id} order by bound"')
    if json:
        print_json([row for sweep in sweeps for row in sweep.as_data()])
    return [outcome for sweep in sweeps for outcome in sweep.outcomes]


@audits_app.command("list")
def audits_list(db: Db = None, wait: Wait = 0.0, json: Json = False) -> None:
    """List the audits.

    Example: dbaudit audits list
    """
    rows = dbaudit.list_audits(the_store(db, wait))
    print_json(rows) if json else print_rows(rows, ["audit_id", "dataset", "adversary", "releases", "started_at", "status", "person_count", "verdict"])


@audits_app.command("show")
def audits_show(audit: AuditId, db: Db = None, wait: Wait = 0.0, json: Json = False) -> None:
    """Show one audit: its sizes, certificate, options, versions and what it read.

    Example: dbaudit audits show 1
    """
    row = dbaudit.show_audit(the_store(db, wait), audit)
    print_json(row) if json else print_rows([{"what": key, "is": value} for key, value in row.items()])


@audits_app.command("remove")
def audits_remove(audit: AuditId, db: Db = None, wait: Wait = 0.0) -> None:
    """Remove an audit and all that it found.

    Example: dbaudit audits remove 1
    """
    dbaudit.remove_audit(the_store(db, wait), audit)
    say(f"Removed audit {audit}.")


@audits_app.command("verify")
def audits_verify(audit: AuditId, db: Db = None, wait: Wait = 0.0, json: Json = False) -> None:
    """Recompute an audit's certificate from what is stored, without the solver.

    Example: dbaudit audits verify 1
    """
    verification = dbaudit.verify_audit(the_store(db, wait), audit)
    print_json(verification.as_data()) if json else say(*verification.words)
    raise typer.Exit(ExitCode.PASSED if verification.holds else ExitCode.NOT_SOLVED)


def sql(
    query: Annotated[str, typer.Argument(metavar="QUERY", help="One query. It can read the store and nothing else.")],
    form: Annotated[Format, typer.Option("--format", help="How to print the answer.")] = Format.table,
    original: Annotated[bool, typer.Option("--original", help="The publisher's own way to the truth: opens its file, read-only, as original.")] = False,
    threads: Annotated[
        int, typer.Option("--threads", min=1, help="More are faster on large stores, but sums may then differ in the last digit from run to run.")
    ] = 1,
    db: Db = None,
    wait: Wait = 0.0,
) -> None:
    """Query the store. Nothing can be changed, no file read, and the truth is out of reach.

    Example: dbaudit sql "select * from report.disclosure order by max_probability desc limit 10"
    """
    if form is Format.parquet and sys.stdout.isatty():
        raise UsageError("Parquet is not for a terminal. Send it to a file: dbaudit sql ... --format parquet > answer.parquet")
    answer = dbaudit.run_query(the_store(db, wait), query, original=original, variant_as="json" if form is Format.json else "varchar", threads=threads)
    print_table(answer, form.value)


def report_command(
    audit: Annotated[int | None, typer.Argument(metavar="AUDIT", help="Number of the audit.", show_default="the latest")] = None,
    out: Annotated[Path | None, typer.Option("--out", metavar="FILE", help="Write to a file instead.")] = None,
    db: Db = None,
    wait: Wait = 0.0,
    json: Json = False,
) -> None:
    """Tell what an audit found, on a page.

    Example: dbaudit report 1
    """
    from dbaudit import report

    told = report.gather(the_store(db, wait), audit)
    if out is not None:
        report.write(told, out, as_json=json)
        say(f"Wrote {out}.")
    else:
        print_json(told) if json else say(*report.page(told))


def demo(db: Annotated[Path | None, typer.Option("--db", help="Keep the store here.", show_default="a temporary one")] = None) -> None:
    """Audit a hospital's two releases. Nothing to prepare, nothing left behind.

    Example: dbaudit demo
    """
    from dbaudit import demonstration

    say(*demonstration.run(db))
