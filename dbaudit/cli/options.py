"""Options that several commands share."""

from __future__ import annotations

import os
import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

import dbaudit

if TYPE_CHECKING:
    from dbaudit import Store

Db = Annotated[Path | None, typer.Option("--db", envvar="DBAUDIT_DB", readable=False, help="The store.", show_default="audit.duckdb")]
Wait = Annotated[float, typer.Option("--wait", metavar="SECONDS", help="How long to wait for a store that another process has open.")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON for programs.")]
DatasetName = Annotated[str, typer.Argument(metavar="DATASET", help="Name of the dataset.")]
ReleaseName = Annotated[str, typer.Argument(metavar="RELEASE", help="Name of the release.")]
AuditId = Annotated[int, typer.Argument(metavar="AUDIT", help="Number of the audit.")]


def the_store(db: Path | None, wait: float = 0.0) -> Store:
    """The store that a command's options name."""
    return dbaudit.Store(db, wait=wait)


def same_store(db: Path | None) -> str:
    """What a command that is suggested to the user must add to mean the same store: nothing where that is found anyhow."""
    return "" if db is None or str(db) == os.environ.get("DBAUDIT_DB", "audit.duckdb") else f" --db {shlex.quote(str(db))}"


def _print_version(wanted: bool) -> None:
    if wanted:
        print(f"dbaudit {dbaudit.__version__}")
        raise typer.Exit


def version_option(
    version: Annotated[bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version and stop.")] = False,
) -> None:
    """Tell what publications give away."""
