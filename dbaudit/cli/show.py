"""Printing: answers go to stdout, talk to stderr, and only a terminal gets a progress bar."""

from __future__ import annotations

import datetime
import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from decimal import Decimal
from typing import TYPE_CHECKING, Any

# Libraries are imported where they are used: `--help` and the completion of a word wait for none of them.
if TYPE_CHECKING:
    import pyarrow as pa

    from dbaudit.audit import Watch

_WIDE = 10_000  # a pipe has no width: nothing is cut off there


def complain(message: str) -> None:
    """Say on stderr what went wrong."""
    print(f"dbaudit: {message}", file=sys.stderr)


def remark(messages: Sequence[str]) -> None:
    """Say on stderr what somebody should know."""
    for message in messages:
        print(f"Note: {message}", file=sys.stderr)


def hint(message: str) -> None:
    """Say on stderr what to try next."""
    sys.stdout.flush()
    print(message, file=sys.stderr)


def say(*lines: str) -> None:
    """Print lines that are the answer."""
    for line in lines:
        print(line)


def print_json(value: Any) -> None:
    """Print data for programs."""
    from dbaudit.report import plain

    print(json.dumps(plain(value), ensure_ascii=False, indent=2 if sys.stdout.isatty() else None))


def print_rows(rows: Sequence[Mapping[str, Any]], columns: Sequence[str] | None = None) -> None:
    """Print rows as a table for people."""
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    names = list(columns or (rows[0] if rows else ()))
    table = Table(box=None, pad_edge=False, header_style="bold")
    for name in names:
        numeric = all(isinstance(row[name], (int, float, Decimal)) and not isinstance(row[name], bool) for row in rows) and bool(rows)
        table.add_column(Text(name), justify="right" if numeric else "left", no_wrap=not sys.stdout.isatty(), overflow="fold")
    for row in rows:
        table.add_row(*(Text(_cell(row[name])) for name in names))
    if sys.stdout.isatty():
        Console(highlight=False).print(table)
        return
    console = Console(width=_WIDE)
    with console.capture() as captured:
        console.print(table)
    say(*(line.rstrip() for line in captured.get().splitlines()))


def _cell(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float):
        return f"{value:.6g}"
    if isinstance(value, Mapping):
        return "; ".join(f"{key}: {_cell(item)}" for key, item in value.items())
    if isinstance(value, (list, tuple)):
        return ", ".join(_cell(item) for item in value)
    if isinstance(value, datetime.datetime):
        return value.isoformat(sep=" ", timespec="seconds")
    return str(value)


def print_table(table: pa.Table, form: str) -> None:
    """Print the answer to a query in the form that was asked for."""
    if form == "parquet":
        import pyarrow.parquet

        pyarrow.parquet.write_table(table, sys.stdout.buffer)
    elif form == "csv":
        import pyarrow.csv

        pyarrow.csv.write_csv(table, sys.stdout.buffer)
    elif form == "json":
        print_json(_with_objects(table))
    else:
        print_rows(table.to_pylist(), table.column_names)
    sys.stdout.flush()


def _with_objects(table: pa.Table) -> list[dict[str, Any]]:
    """Rows in which JSON columns are objects instead of text."""
    texts = [field.name for field in table.schema if b"json" in (field.metadata or {})]
    rows: list[dict[str, Any]] = table.to_pylist()
    return [{key: json.loads(value) if key in texts and value is not None else value for key, value in row.items()} for row in rows] if texts else rows


@contextmanager
def progress() -> Iterator[Watch]:
    """A bar on a terminal; silence in a pipe."""
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    console = Console(stderr=True)
    columns = (TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn())
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task("starting", total=None)

        def watch(stage: str, share: float | None) -> None:
            bar.update(task, description=stage, total=None if share is None else 1.0, completed=share or 0.0)

        yield watch
