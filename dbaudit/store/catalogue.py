"""The SQL files: what each is called, says of itself, reads, and in which order views must be loaded."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache, cached_property
from graphlib import TopologicalSorter
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sqlglot import exp

# sqlglot takes a while to load and is needed only when views are loaded or tested: commands that run statements do without it.

HEADER = ("What", "Grain", "Source", "Note")
VIEW_FOLDERS = ("model", "report")


@cache
def shipped_folder(name: str) -> Path:
    """A folder that is shipped with the program: inside the package where it was installed, beside it in a checkout."""
    package = Path(__file__).resolve().parent.parent
    inside = package / name
    return inside if inside.is_dir() else package.parent / name


@dataclass(frozen=True)
class SqlFile:
    """One file under sql/."""

    path: Path

    @property
    def folder(self) -> str:
        """The schema of a view, or what kind of statement it is."""
        return self.path.parent.name

    @property
    def name(self) -> str:
        """The object's name."""
        return self.path.stem

    @cached_property
    def text(self) -> str:
        """The file as it is."""
        return self.path.read_text(encoding="utf-8")

    @cached_property
    def digest(self) -> str:
        """SHA-256 of the text."""
        return hashlib.sha256(self.text.encode()).hexdigest()

    @cached_property
    def statements(self) -> list[exp.Expr]:
        """The parsed statements."""
        import sqlglot

        return [statement for statement in sqlglot.parse(self.text, dialect="duckdb") if statement is not None]

    @cached_property
    def header(self) -> dict[str, str]:
        """What the comment lines at the top say: What, Grain, Source, Note."""
        found: dict[str, str] = {}
        for line in self.text.splitlines():
            match = re.match(r"-- (\w+): +(.*)", line)
            if match:
                found[match[1]] = match[2].strip()
            elif not line.startswith("--"):
                break
        return found

    @cached_property
    def grain(self) -> list[str]:
        """The columns that make a row unique."""
        return [column.strip() for column in self.header["Grain"].split(",")]

    @cached_property
    def parameters(self) -> frozenset[str]:
        """Names of the parameters that the statement takes."""
        return frozenset(re.findall(r"\$([a-z_]+)", self.text))

    @cached_property
    def reads(self) -> frozenset[str]:
        """The objects with a schema that the statements mention, as catalog.schema.name or schema.name."""
        from sqlglot import exp

        created = {node.this.sql("duckdb") for node in self.statements if isinstance(node, exp.Create)}
        tables = {table for statement in self.statements for table in statement.find_all(exp.Table) if table.db}
        return frozenset(name for name in (".".join(part.name for part in table.parts) for table in tables) if name not in created)

    @cached_property
    def column_comments(self) -> dict[str, str]:
        """For a view: its columns, each with the comment behind it in the select list at the end."""
        (statement,) = self.statements
        return {column.alias_or_name: _comment(column) for column in statement.expression.selects}


def _comment(node: exp.Expr) -> str:
    """What was written behind a column; the parser hangs it on the node that it saw last."""
    return " ".join(comment.strip() for part in node.walk() for comment in part.comments or ())


@cache
def statement_file(name: str) -> SqlFile:
    """A statement by folder and stem, such as write/member."""
    return SqlFile(shipped_folder("sql") / f"{name}.sql")


@cache
def files(folder: str) -> list[SqlFile]:
    """All files of a folder by name."""
    return [SqlFile(path) for path in sorted((shipped_folder("sql") / folder).glob("*.sql"))]


def in_order(unordered: Iterable[SqlFile]) -> list[SqlFile]:
    """Sort views so that each comes after those that it reads."""
    by_name = {f"{file.folder}.{file.name}": file for file in unordered}
    graph = {name: {read for read in file.reads if read in by_name} for name, file in by_name.items()}
    return [by_name[name] for name in TopologicalSorter(graph).static_order()]


def table_comments(migration: SqlFile) -> list[tuple[str, str, dict[str, str]]]:
    """The tables that a migration creates: name, comment, and the comment of each column."""
    from sqlglot import exp

    found = []
    for statement in migration.statements:
        if isinstance(statement, exp.Create) and statement.kind == "TABLE":
            columns = {column.name: _comment(column) for column in statement.this.expressions if isinstance(column, exp.ColumnDef)}
            found.append((statement.this.this.sql("duckdb"), (statement.comments or [""])[-1].strip(), columns))
    return found


def comment_on(kind: str, name: str, text: str) -> str:
    """A statement that puts a comment into the catalogue. DuckDB takes no parameters there."""
    from sqlglot import exp

    return f"comment on {kind} {name} is {exp.Literal.string(text).sql('duckdb')}"
