"""The command that anonymises: microdata in, a release to publish out."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

import dbaudit
from dbaudit.cli.options import DatasetName, Db, Json, Wait, same_store, the_store
from dbaudit.cli.show import hint, print_json, remark, say


class Method(StrEnum):
    """How buckets are made."""

    anatomy = "anatomy"
    history = "history"


def register(app: typer.Typer) -> None:
    """Hang this command into the program."""
    app.command()(publish)


def publish(
    dataset: DatasetName,
    file: Annotated[Path, typer.Argument(metavar="FILE", help="The microdata: CSV, Parquet or JSON with id, quasi-identifiers and sensitive columns.")],
    method: Annotated[Method, typer.Option("--method", help="anatomy: by itself. history: keeps the buckets of the release before.")],
    l: Annotated[int, typer.Option("--l", metavar="N", help="Different sensitive values in each new bucket.")],  # noqa: E741
    out: Annotated[Path, typer.Option("--out", metavar="FILE", help="Write the release here, as CSV.")],
    after: Annotated[
        str | None, typer.Option("--after", metavar="RELEASE", help="history: the release whose buckets are kept.", show_default="the latest published")
    ] = None,
    seed: Annotated[
        int | None, typer.Option("--seed", metavar="N", help="Draw the same again; keep it to yourself.", show_default="nobody can draw the same again")
    ] = None,
    register: Annotated[str | None, typer.Option("--register", metavar="NAME", help="Also register the release as a candidate.")] = None,
    db: Db = None,
    wait: Wait = 0.0,
    json: Json = False,
) -> None:
    """Anonymise microdata into a release of buckets.

    Example: dbaudit publish patients d2.csv --method history --l 3 --out r2.csv --register r2
    """
    spec = dbaudit.PublishSpec(dataset, file, out, method.value, l, after, seed, register)
    published = dbaudit.make_release(the_store(db, wait), spec)
    row = published.row
    remark([*published.remarks, *(published.registered.remarks if published.registered else [])])
    if json:
        print_json({**row, "registered": published.registered.row if published.registered else None})
        return
    from dbaudit.report import plural

    held = f"{plural(row['record_count'], 'record')} in {plural(row['bucket_count'], 'bucket')}"
    say(f"Wrote {out}: {held}, at least {plural(row['least_values'], 'different value')} in each.")
    if row["after"]:
        left = row["filled_count"] + row["empty_count"]
        say(f"After {row['after']}: {row['stayed_count']:,} stayed, {left:,} left, and new records took {row['filled_count']:,} of their places.")
    if register:
        hint(f"Next, look what it would give away: dbaudit audit{same_store(db)} {dataset} --candidate {register}")
    else:
        hint(f"Next: dbaudit release add{same_store(db)} {dataset} {out} --name NAME --form bucketized --bucket {row['bucket_column']} --candidate")
