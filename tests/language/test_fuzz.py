"""Any text at all, thrown at the language of statements and carried to the engine: nothing crashes, and nothing but the given rows is ever looked at."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
import sqlglot
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from sqlglot import exp

from dbaudit.engine import Engine, EngineError
from dbaudit.errors import UsageError
from dbaudit.language.statement import PERSON, Columns, matching, parse_statement
from tests.language.test_statement import PIECES, written

COLUMNS = Columns(("disease", "income"), ("gender", "zip", "age", "Born On"))
NAMES = {name: (f"typed_{number}", f"text_{number}") for number, name in enumerate(("disease", "income", "gender", "zip", "age", "Born On", PERSON))}
SECRET = "canary-2008"
# What would read something else, if a text could smuggle it in.
ATTACKS = [
    "read_text('canary.txt')", "(select secret from hidden.secret)", "hidden.secret", "'canary.txt'", "exists (select 1 from hidden.secret)",
    "getenv('CANARY')", "query_table('hidden.secret')", "query('select 1')", "current_setting('secret_directory')", "x.secret", "*", "columns(*)",
    "row(1)", "[1, 2]", "{'a': 1}", "$1", "?", "typed_0", "text_6", "person_id", "rowid", "case when true then 1 end", "lambda x: x",
    "1 = 1) or (1 = 1", "') = 1; drop table hidden.secret; --", "union select secret from hidden.secret", "nextval('hidden.counter')", "pg_sleep(1)",
    "error('x')", "unnest([1])", "cast(1 as struct(a int))", "1::hidden.kind", "lower(disease, zip)", "sum(age)", "count(*) over ()",
    "any_value(secret)", "'a' collate nocase", "interval 1 day", "now()", "random()", "/* */", "--", "\\", "\u200b", "\x1a",
]  # fmt: skip


@st.composite
def spoilt(draw: st.DrawFn) -> str:
    """A statement that may be right, with something put into it, taken out of it, or written twice."""
    text = draw(written())
    for _ in range(draw(st.integers(1, 3))):
        at, length = draw(st.integers(0, len(text))), draw(st.integers(0, 12))
        text = text[:at] + draw(st.sampled_from([*ATTACKS, *PIECES, text[at : at + length]])) + text[draw(st.sampled_from([at, at + length])) :]
    return text


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    """An engine that may do anything, beside a file and a schema that nobody may read: only the language stands between."""
    folder = tmp_path_factory.mktemp("bait")
    (folder / "canary.txt").write_text(SECRET)
    before = Path.cwd()
    os.chdir(folder)
    os.environ["CANARY"] = SECRET
    made = Engine()
    typed = ", ".join(
        f"{typed} {kind}, {text} varchar"
        for (typed, text), kind in zip(NAMES.values(), ["varchar", "hugeint", "varchar", "varchar", "hugeint", "date", "varchar"], strict=True)
    )
    made.run("rows", f"create table rows (key integer, {typed})")
    made.run("rows", f"insert into rows select k, {', '.join('null, null' for _ in NAMES)} from range(3) as r(k)")
    for number, value in ((0, "Flu"), (2, "male"), (4, "30"), (6, "1")):
        made.run("rows", f"update rows set typed_{number} = '{value}', text_{number} = '{value}' where key = 0")
    made.run("secret", f"create schema hidden; create table hidden.secret as select '{SECRET}' as secret; create sequence hidden.counter")
    yield made
    assert made.value("untouched", "select count(*) from hidden.secret") == 1
    made.close()
    os.chdir(before)
    del os.environ["CANARY"]


@settings(max_examples=400, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large], derandomize=True)
@given(st.one_of(spoilt(), written(), st.text(max_size=60)))
@example("P(disease = 'Flu' | zip = (select secret from hidden.secret)) = 0.3")
@example("P(disease = 'Flu' | gender = 'male' or read_text('canary.txt') = 'x') = 0.3")
@example("P(disease = 'Flu' | \"Born On\" > date '2020-01-01' and person in ('1')) = 0.3")
@example("P(lower(disease) like 'f%' | abs(age - 3) < 100) = 0.3")
def test_no_text_reaches_a_file_another_schema_or_a_function_that_is_not_listed(engine: Engine, text: str) -> None:
    try:
        statement = parse_statement(text, COLUMNS)
    except UsageError:
        return
    assert parse_statement(str(statement), COLUMNS) == statement
    for term in statement.terms:
        for tree in filter(None, (term.event_tree, term.condition_tree)):
            query = matching(tree, "rows", "key", NAMES, {})
            parsed = sqlglot.parse_one(query, dialect="duckdb")
            assert [table.sql() for table in parsed.find_all(exp.Table)] == ["rows"]
            assert len(list(parsed.find_all(exp.Select))) == 1
            columns = {column.sql() for column in parsed.find_all(exp.Column)}
            assert columns <= {"key", *(name for pair in NAMES.values() for name in pair)}
            listed = (exp.Lower, exp.Upper, exp.Length, exp.Trim, exp.Abs, exp.Year, exp.Month, exp.Day, exp.Cast, exp.And, exp.Or)
            assert all(isinstance(call, listed) for call in parsed.find_all(exp.Func))
            told = [0, 1, 2]
            with suppress(EngineError):  # such as a date compared with a word: told to whoever wrote it
                told = [key for (key,) in engine.rows("statement", query)]
            assert set(told) <= {0, 1, 2}


@pytest.mark.slow
@settings(max_examples=3000, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(st.one_of(spoilt(), written()))
def test_the_same_with_many_more_texts(engine: Engine, text: str) -> None:
    test_no_text_reaches_a_file_another_schema_or_a_function_that_is_not_listed.hypothesis.inner_test(engine, text)  # type: ignore[attr-defined]
