"""Commands that set audits side by side: two of them, or all along the release history."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

import dbaudit
from dbaudit.cli.auditing import GRAVEST_FIRST, audits_app
from dbaudit.cli.options import DatasetName, Db, Json, Wait, same_store, the_store
from dbaudit.cli.show import print_json, print_rows, progress, remark, say
from dbaudit.errors import ExitCode, UsageError


def register() -> None:
    """Hang these commands among those about audits."""
    audits_app.command("history")(audits_history)
    audits_app.command("diff")(audits_diff)


def audits_history(
    dataset: DatasetName,
    adversary: Annotated[str, typer.Option("--adversary", metavar="NAME", help="Whose knowledge was assumed.")] = "default",
    run: Annotated[bool, typer.Option("--run", help="First audit the steps that were not audited yet, oldest first.")] = False,
    max_probability: Annotated[
        float | None, typer.Option("--max-probability", metavar="P", help="With --run: hold every step to this limit, as audit does.")
    ] = None,
    plot: Annotated[Path | None, typer.Option("--plot", metavar="FILE", help="Also draw it: FILE.svg or FILE.png.")] = None,
    db: Db = None,
    wait: Wait = 0.0,
    json: Json = False,
) -> None:
    """Tell how a dataset fared release after release: what the first gave away, then the first two, and so on.

    Example: dbaudit audits history patients --run --plot history.svg
    """
    from dbaudit.chart import checked_ending

    if plot is not None:
        checked_ending(plot)  # before any audit is run for it
    if max_probability is not None and not run:
        raise UsageError("--max-probability judges audits as they are run: give --run too.")
    store = the_store(db, wait)
    outcomes = []
    if run:
        with progress() as watch:
            outcomes = dbaudit.run_history(store, dataset, adversary, max_probability=max_probability, watch=watch)
    history = dbaudit.show_history(store, dataset, adversary)
    if plot is not None:
        dbaudit.draw_history(history, plot)
    remark([*dict.fromkeys(told for outcome in outcomes for told in outcome.remarks), *history.remarks])
    if json:
        print_json(history.as_data())
    else:
        say(*history.words)
        print_rows(history.table) if history.steps else None
        say(*history.left_to_do(same_store(db)))
    codes = {outcome.exit_code for outcome in outcomes}
    raise typer.Exit(next((code for code in GRAVEST_FIRST if code in codes), ExitCode.PASSED))


def audits_diff(
    before: Annotated[int, typer.Argument(metavar="BEFORE", help="Number of an audit.")],
    after: Annotated[int, typer.Argument(metavar="AFTER", help="Number of another audit of the same dataset.")],
    top: Annotated[int, typer.Option("--top", metavar="N", min=0, help="How many persons to name at most.")] = 20,
    db: Db = None,
    wait: Wait = 0.0,
    json: Json = False,
) -> None:
    """Tell what changed from one audit to another, and about whom.

    Example: dbaudit audits diff 1 2 --top 20
    """
    difference = dbaudit.compare_audits(the_store(db, wait), before, after, top)
    if json:
        print_json(difference.as_data())
        return
    say(*difference.words, "")
    print_rows(difference.figures)
    if difference.risen:
        say("", "Whose value became more probable, largest change first:")
        print_rows(difference.risen)
