"""The command that says why."""

from __future__ import annotations

from typing import Annotated

import typer

import dbaudit
from dbaudit.cli.options import AuditId, Db, Json, Wait, the_store
from dbaudit.cli.show import print_json, say


def register(app: typer.Typer) -> None:
    """Hang this command into the program."""
    app.command()(explain)


def explain(
    audit: AuditId,
    person: Annotated[str, typer.Option("--person", metavar="PERSON", help="Whom to explain: an id, or release#row where there is none.")],
    value: Annotated[
        str | None, typer.Option("--value", metavar="VALUE", help="Which value to explain.", show_default="the certain or most probable one")
    ] = None,
    top: Annotated[int, typer.Option("--top", metavar="N", help="How many buckets to tell of what is only probable.")] = 5,
    db: Db = None,
    wait: Wait = 0.0,
    json: Json = False,
) -> None:
    """Say why an audit found what it found of one person.

    A certainty is proven by a smallest set of published figures, step by step; of a probability you see which buckets it depends on most.

    Example: dbaudit explain 1 --person 10
    """
    told = dbaudit.explain_person(the_store(db, wait), audit, person, value, top)
    print_json(told.as_data()) if json else say(*told.words)
