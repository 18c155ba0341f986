"""SQL tested in SQL: every file NAME.test beside this one, block by block.

    # a comment says why the rows are what they are
    fixture NAME        a store of tests/sql/stores.py, for all blocks that follow
    statement           changes a copy of that store, until the next fixture
    query               a query, then ---- and the rows that it must give, in this order
    error               a query that must fail, then ---- and what the message says

Values are divided by ` | ` or a tab; `null` is null and `(empty)` the empty text. Numbers may be written as fractions.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import Any

import duckdb
import pytest

from dbaudit.store.catalogue import files
from tests.sql import stores

HERE = Path(__file__).parent
# The solver's certificate is 1e-8, and a probability can be off by a little more than a figure.
TOLERANCE = 1e-7
KINDS = ("statement", "query", "error")


@dataclass
class Block:
    file: Path
    line: int
    kind: str
    fixture: str
    text: str
    expected: list[str]
    changes: list[str] = field(default_factory=list)  # the statements before it, since the fixture was named

    def __str__(self) -> str:
        return f"{self.file.parent.name}/{self.file.stem}:{self.line}"


def parse(file: Path, text: str) -> list[Block]:
    blocks: list[Block] = []
    fixture, changes = "", list[str]()
    lines = [*enumerate(text.splitlines(), 1), (0, "")]
    while lines:
        number, line = lines.pop(0)
        if not line or line.startswith("#"):
            continue
        word, _, name = line.partition(" ")
        if word == "fixture" and name in stores.BUILDERS:
            fixture, changes = name, []
            continue
        if line not in KINDS or not fixture:
            raise ValueError(f"{file.name}, line {number}: expected a fixture that exists, {', '.join(KINDS)}, not {line!r}")
        body: list[str] = []
        while lines[0][1] and lines[0][1] not in KINDS:
            body.append(lines.pop(0)[1])
        divided = body.index("----") if "----" in body else len(body)
        if line == "statement":
            changes = [*changes, "\n".join(body)]
            continue
        if divided == len(body):
            raise ValueError(f"{file.name}, line {number}: a {line} needs ---- before what it expects")
        blocks.append(Block(file, number, line, fixture, "\n".join(body[:divided]), body[divided + 1 :], changes))
    return blocks


def shown(value: Any) -> str:
    match value:
        case None:
            return "null"
        case "":
            return "(empty)"
        case bool():
            return str(value).lower()
        case float():
            return f"{value:.10g}"
        case list():
            return f"[{', '.join(shown(part) for part in value)}]"
        case _:
            return str(value)


def same(value: Any, expected: str) -> bool:
    if isinstance(value, float) and re.fullmatch(r"-?[0-9./e-]+", expected):
        return abs(value - float(Fraction(expected))) <= TOLERANCE
    return shown(value) == expected


def alike(row: tuple[Any, ...], wanted: list[str]) -> bool:
    return len(row) == len(wanted) and all(map(same, row, wanted))


def compare(rows: list[tuple[Any, ...]], expected: list[str]) -> None:
    wanted = [re.split(r"\t| \| ", line) for line in expected]
    if len(rows) != len(wanted) or not all(map(alike, rows, wanted)):
        got = [" | ".join(shown(value) for value in row) for row in rows]
        marked = [
            f"{' ' if number < min(len(wanted), len(rows)) and alike(rows[number], wanted[number]) else '>'} "
            f"{expected[number] if number < len(expected) else '(nothing)':60}   {got[number] if number < len(got) else '(nothing)'}"
            for number in range(max(len(expected), len(got)))
        ]
        pytest.fail("expected, and what the query gives:\n" + "\n".join(marked), pytrace=False)


def connect(block: Block, folder: Path) -> duckdb.DuckDBPyConnection:
    """As the program does: the audit file as `audit`; the truth is there only for tests of the views in `original`."""
    store = stores.copy(block.fixture, folder) if block.changes else stores.store(block.fixture)
    connection = duckdb.connect(":memory:")
    mode = "read_write" if block.changes else "read_only"
    connection.execute(f"attach '{store.files.audit}' as audit ({mode})")
    if block.file.parent.name == "original":
        connection.execute(f"attach '{store.files.original}' as original ({mode})")
    connection.execute("use audit")
    for change in block.changes:
        connection.execute(change)
    return connection


FILES = sorted(HERE.glob("*/*.test"))


@pytest.mark.parametrize("block", [block for file in FILES for block in parse(file, file.read_text(encoding="utf-8"))], ids=str)
def test_a_query_gives_what_its_file_says(block: Block, tmp_path: Path) -> None:
    with connect(block, tmp_path) as connection:
        if block.kind == "error":
            with pytest.raises(duckdb.Error) as caught:
                connection.execute(block.text).fetchall()
            assert "\n".join(block.expected) in str(caught.value)
        else:
            compare(connection.execute(block.text).fetchall(), block.expected)


@pytest.mark.parametrize("schema", ["model", "report", "original"])
def test_every_view_has_a_file_that_queries_it_and_no_file_is_left_over(schema: str) -> None:
    tested = {file.stem: file.read_text(encoding="utf-8") for file in FILES if file.parent.name == schema}
    assert set(tested) == {view.name for view in files(schema)}
    assert [name for name, text in tested.items() if not re.search(rf"\b(from|join) {schema}\.{name}\b", text)] == []


def test_every_file_says_why() -> None:
    assert [str(file) for file in FILES if not file.read_text(encoding="utf-8").startswith("# ")] == []


@pytest.mark.parametrize(
    ("rows", "expected"),
    [([(1,)], ["2"]), ([(1,)], []), ([], ["1"]), ([(0.5,)], ["1/3"]), ([(None,)], ["(empty)"]), ([("a", "b")], ["a"]), ([(1,), (2,)], ["2", "1"])],
)
def test_a_wrong_answer_is_told(rows: list[tuple[Any, ...]], expected: list[str]) -> None:
    with pytest.raises(pytest.fail.Exception, match=">"):
        compare(rows, expected)


@pytest.mark.parametrize("text", ["fixture nowhere\n", "query\nselect 1\n----\n1\n", "fixture empty\nquery\nselect 1\n", "fixture empty\nselect 1\n"])
def test_a_file_that_says_nothing_testable_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="line"):
        parse(Path("bad.test"), text)
